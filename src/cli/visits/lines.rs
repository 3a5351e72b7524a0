//! Reads one line of an access log: the `combined` format of nginx, lines of JSON (nginx, Cloudflare's Logpush), and the
//! tables of CloudFront, whose columns a line before them names.

use std::borrow::Cow;

use serde_json::Value;

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    /// `2027-01-31`.
    pub day: &'a str,
    pub method: &'a str,
    /// Path and query.
    pub target: &'a str,
    pub status: u16,
    pub referrer: &'a str,
    pub agent: &'a str,
}

/// The kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A request, which was given to the function.
    Hit,
    /// A comment or an empty line.
    Nothing,
    /// Cut, or of no known format.
    Broken,
}

/// Reads lines of one log.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The columns of CloudFront, as its last `#Fields:` names them.
    columns: Vec<String>,
}

impl Reader {
    /// Reads a line, and gives its request to a function.
    pub(super) fn read(&mut self, line: &str, found: &mut dyn FnMut(Hit)) -> LineKind {
        let line = line.trim_end_matches(['\r', '\n']);
        if let Some(fields) = line.strip_prefix("#Fields:") {
            self.columns = fields.split_whitespace().map(str::to_owned).collect();
        }
        if line.trim().is_empty() || line.starts_with('#') {
            return LineKind::Nothing;
        }
        let is_read = if line.starts_with('{') {
            json(line, found)
        } else if !self.columns.is_empty() && line.contains('\t') {
            self.table(line, found)
        } else {
            combined(line, found)
        };
        if is_read.is_some() {
            LineKind::Hit
        } else {
            LineKind::Broken
        }
    }

    fn table(&self, line: &str, found: &mut dyn FnMut(Hit)) -> Option<()> {
        let cells: Vec<&str> = line.split('\t').collect();
        // A line that is cut has fewer.
        if cells.len() != self.columns.len() {
            return None;
        }
        let cell = |name: &str| {
            self.columns
                .iter()
                .position(|column| column == name)
                .map(|at| cells[at])
        };
        let query = cell("cs-uri-query").filter(|query| !matches!(*query, "" | "-"));
        let path = cell("cs-uri-stem")?;
        let target = query.map_or(Cow::Borrowed(path), |query| {
            Cow::Owned(format!("{path}?{query}"))
        });
        let agent =
            percent_encoding::percent_decode_str(cell("cs(User-Agent)")?).decode_utf8_lossy();
        found(Hit {
            day: day(cell("date")?)?,
            method: cell("cs-method")?,
            target: &target,
            status: cell("sc-status")?.parse().ok()?,
            referrer: cell("cs(Referer)").unwrap_or_default(),
            agent: &agent,
        });
        Some(())
    }
}

/// The beginning of a text, if it is a day.
fn day(text: &str) -> Option<&str> {
    let day = text.get(..10)?;
    let is_day = day.bytes().enumerate().all(|(at, c)| {
        if matches!(at, 4 | 7) {
            c == b'-'
        } else {
            c.is_ascii_digit()
        }
    });
    is_day.then_some(day)
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `31/Jan/2027:09:30:00 +0100` as `2027-01-31`.
fn day_of_nginx(time: &str) -> Option<String> {
    let (day, rest) = time.split_once('/')?;
    let (month, rest) = rest.split_once('/')?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let year = rest.get(..4)?;
    let are_numbers = day.bytes().chain(year.bytes()).all(|b| b.is_ascii_digit());
    (day.len() == 2 && are_numbers).then(|| format!("{year}-{month:02}-{day}"))
}

/// The next text in quotation marks, and the rest. nginx writes a mark inside as `\x22`, other servers as `\"`.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start().strip_prefix('"')?;
    // A mark after an odd number of backslashes is part of the text.
    let mut quotes = inside.match_indices('"').map(|(at, _)| at);
    let end =
        quotes.find(|at| (at - inside[..*at].trim_end_matches('\\').len()).is_multiple_of(2))?;
    Some((&inside[..end], &inside[end + 1..]))
}

fn combined(line: &str, found: &mut dyn FnMut(Hit)) -> Option<()> {
    let (_, rest) = line.split_once(" [")?;
    let (time, rest) = rest.split_once(']')?;
    let (request, rest) = quoted(rest)?;
    let mut numbers = rest.trim_start().splitn(3, ' ');
    let status = numbers.next()?.parse().ok()?;
    numbers.next()?;
    let (referrer, rest) = quoted(numbers.next()?)?;
    let (agent, _) = quoted(rest)?;
    let (method, target) = parts(request);
    found(Hit {
        day: &day_of_nginx(time)?,
        method,
        target,
        status,
        referrer,
        agent,
    });
    Some(())
}

/// Method and target of a request line. A request that was none, such as a TLS handshake, has neither.
fn parts(request: &str) -> (&str, &str) {
    let mut words = request.split(' ');
    (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    )
}

fn json(line: &str, found: &mut dyn FnMut(Hit)) -> Option<()> {
    let object: Value = serde_json::from_str(line).ok()?;
    // The names of Logpush, then those of nginx's variables.
    let get = |names: &[&str]| names.iter().find_map(|name| object.get(name));
    let text = |names: &[&str]| get(names).and_then(Value::as_str);
    let time = get(&[
        "EdgeStartTimestamp",
        "EdgeEndTimestamp",
        "time_iso8601",
        "time_local",
        "time",
        "timestamp",
        "msec",
    ])?;
    let day = match time {
        Value::String(time) => day(time)
            .map(str::to_owned)
            .or_else(|| day_of_nginx(time))
            .or_else(|| day_of_number(time.parse().ok()?)),
        Value::Number(time) => day_of_number(time.as_f64()?),
        _ => None,
    };
    let (method, target) = match text(&["request"]) {
        Some(request) => parts(request),
        None => (
            text(&["ClientRequestMethod", "request_method", "method"])?,
            text(&[
                "ClientRequestURI",
                "ClientRequestPath",
                "request_uri",
                "uri",
            ])?,
        ),
    };
    let status = get(&["EdgeResponseStatus", "status"])?;
    let status = status.as_u64().or_else(|| status.as_str()?.parse().ok())?;
    found(Hit {
        day: &day?,
        method,
        target,
        status: u16::try_from(status).ok()?,
        referrer: text(&[
            "ClientRequestReferer",
            "http_referer",
            "referer",
            "referrer",
        ])
        .unwrap_or_default(),
        agent: text(&["ClientRequestUserAgent", "http_user_agent", "user_agent"])
            .unwrap_or_default(),
    });
    Some(())
}

/// The day of a time since 1970, in seconds, milliseconds or nanoseconds: Logpush has all of them.
fn day_of_number(number: f64) -> Option<String> {
    let seconds = match number {
        n if n > 1e17 => n / 1e9,
        n if n > 1e11 => n / 1e3,
        n => n,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time of a log has no more than ten digits of seconds"
    )]
    let time = jiff::Timestamp::from_second(seconds as i64).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<(String, String, u16, String)> {
        let (mut reader, mut hits) = (Reader::default(), Vec::new());
        for line in lines {
            let read = reader.read(line, &mut |hit| {
                hits.push((
                    hit.day.to_owned(),
                    hit.target.to_owned(),
                    hit.status,
                    hit.referrer.to_owned(),
                ));
            });
            if read == LineKind::Broken {
                hits.push(("broken".to_owned(), String::new(), 0, String::new()));
            }
        }
        hits
    }

    fn hit(day: &str, target: &str, status: u16, referrer: &str) -> (String, String, u16, String) {
        (
            day.to_owned(),
            target.to_owned(),
            status,
            referrer.to_owned(),
        )
    }

    #[test]
    fn lines_of_each_server_are_read() {
        let nginx = r#"192.0.2.1 - - [31/Jan/2027:09:30:00 +0100] "GET /about/?a=1 HTTP/2.0" 200 512 "https://a.example/x" "Fire \"fox\"""#;
        assert_eq!(
            read(&[nginx]),
            [hit("2027-01-31", "/about/?a=1", 200, "https://a.example/x")]
        );
        let cloudflare = r#"{"ClientRequestURI":"/es/","ClientRequestMethod":"GET","EdgeStartTimestamp":1801387800000000000,"EdgeResponseStatus":200,"ClientRequestUserAgent":"x"}"#;
        assert_eq!(read(&[cloudflare]), [hit("2027-01-31", "/es/", 200, "")]);
        let fields = "#Fields: date time cs-method cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query";
        let row = "2027-01-31\t09:30:00\tGET\t/about/\t200\t-\tMozilla/5.0%20(X11)\ta=1";
        assert_eq!(
            read(&["#Version: 1.0", fields, row]),
            [hit("2027-01-31", "/about/?a=1", 200, "-")]
        );
    }

    #[test]
    fn a_cut_line_is_broken_wherever_it_is_cut() {
        let whole =
            r#"192.0.2.1 - - [31/Jan/2027:09:30:00 +0100] "GET / HTTP/2.0" 200 512 "-" "Firefox""#;
        for at in 1..whole.len() {
            assert_eq!(read(&[&whole[..at]])[0].0, "broken", "{}", &whole[..at]);
        }
        let fields = "#Fields: date cs-method cs-uri-stem sc-status cs(User-Agent)";
        assert_eq!(read(&[fields, "2027-01-31\tGET\t/ab"])[0].0, "broken");
        assert_eq!(read(&[r#"{"ClientRequestURI":"/"#])[0].0, "broken");
    }
}
