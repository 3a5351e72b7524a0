//! Where the time of a build goes: the stages one after the other, and what the threads do inside of them. Printed as a
//! table (`--timings`), or written for a browser's profiler (`--trace FILE`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

/// A stopwatch for one run. Switched off, it only calls what it is given.
#[derive(Debug)]
pub struct Timings {
    begun: Instant,
    is_on: bool,
    spans: Mutex<Vec<Span>>,
}

/// What was done, by whom, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    name: &'static str,
    /// What it was done to: an address.
    what: Option<String>,
    /// A station of the line, not a part of one.
    is_station: bool,
    thread: usize,
    start: Duration,
    length: Duration,
}

/// An entry of the trace event format, which `chrome://tracing` and Perfetto read. Times are microseconds.
#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'static str,
    ph: &'static str,
    ts: u128,
    dur: u128,
    pid: u32,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<BTreeMap<&'static str, &'a str>>,
}

impl Timings {
    /// Takes times from now on, when they are wanted.
    pub fn new(is_on: bool) -> Timings {
        Timings { begun: Instant::now(), is_on, spans: Mutex::default() }
    }

    /// Nobody wants to know.
    pub fn off() -> Timings {
        Timings::new(false)
    }

    /// Does the work of a station.
    pub fn station<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.timed(name, None, true, work)
    }

    /// Does a part of a station's work, on whatever thread.
    pub fn part<T>(&self, name: &'static str, what: &str, work: impl FnOnce() -> T) -> T {
        self.timed(name, Some(what), false, work)
    }

    fn timed<T>(&self, name: &'static str, what: Option<&str>, is_station: bool, work: impl FnOnce() -> T) -> T {
        if !self.is_on {
            return work();
        }
        let start = self.begun.elapsed();
        let result = work();
        let length = self.begun.elapsed().saturating_sub(start);
        let thread = rayon::current_thread_index().map_or(0, |index| index + 1);
        let span = Span { name, what: what.map(str::to_owned), is_station, thread, start, length };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
        result
    }

    fn spans(&self) -> Vec<Span> {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spans.sort_by(|a, b| (a.start, b.length).cmp(&(b.start, a.length)));
        spans
    }

    /// The stations with their times; below each one what its threads did, summed over all of them.
    pub fn table(&self) -> String {
        let spans = self.spans();
        let (stations, parts): (Vec<&Span>, Vec<&Span>) = spans.iter().partition(|span| span.is_station);
        let mut text = String::from("station                    wall     all threads\n");
        for station in &stations {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:<20} {}", station.name, milliseconds(station.length));
            let end = station.start + station.length;
            let mut sums: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
            for part in parts.iter().filter(|part| part.start >= station.start && part.start < end) {
                let (count, sum) = sums.entry(part.name).or_default();
                *count += 1;
                *sum += part.length;
            }
            for (name, (count, sum)) in sums {
                let _ = writeln!(text, "  {name:<18}              {}  {count} times", milliseconds(sum));
            }
        }
        let sum = stations.iter().map(|station| station.length).sum();
        let _ = writeln!(text, "{:<20} {}", "together", milliseconds(sum));
        text
    }

    /// Writes the same, span by span, in Chrome's trace event format.
    pub fn write_trace(&self, file: &Path) -> io::Result<()> {
        fs_err::write(file, self.trace())
    }

    fn trace(&self) -> String {
        let spans = self.spans();
        let events: Vec<Event> = spans
            .iter()
            .map(|span| Event {
                name: span.name,
                cat: if span.is_station { "station" } else { "part" },
                ph: "X",
                ts: span.start.as_micros(),
                dur: span.length.as_micros(),
                pid: 1,
                tid: span.thread,
                args: span.what.as_deref().map(|what| BTreeMap::from([("what", what)])),
            })
            .collect();
        // Structs of text and numbers always serialize.
        serde_json::to_string(&BTreeMap::from([("traceEvents", events)])).unwrap_or_default()
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:>9.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::Timings;

    #[test]
    fn parts_stand_below_their_station() {
        let timings = Timings::new(true);
        timings.station("render", || {
            timings.part("write", "/a/", || ());
            timings.part("write", "/b/", || ());
        });
        let table = timings.table();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[1].starts_with("render "), "{table}");
        assert!(lines[2].starts_with("  write ") && lines[2].ends_with("2 times"), "{table}");
        assert!(timings.trace().contains(r#""args":{"what":"/b/"}"#));
    }

    #[test]
    fn nothing_is_kept_when_nobody_asks() {
        let timings = Timings::off();
        assert_eq!(timings.station("render", || 7), 7);
        assert!(!timings.table().contains("render"));
    }
}
