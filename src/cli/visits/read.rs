//! Reads logs line by line, so that one of any size needs little memory. A line that cannot be read, and one that is cut, is
//! counted; the rest of the log is read.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use diagnostics::problem::{Code, Place, Problem};
use flate2::bufread::MultiGzDecoder;

use super::lines::{Hit, LineKind, Reader};

/// More of a line is not read: a request is shorter.
const LONGEST: u64 = 64 * 1024;
/// The first bytes of a file that was compressed with gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The problem of a log that cannot be read.
fn unreadable(name: String, error: &std::io::Error) -> Problem {
    let message = format!(
        "the log cannot be read: {}",
        workspace::files::reason(error)
    );
    Problem::error(Code::VisitsLog, message).at(Place::file(name))
}

/// Reads a log, and gives each request to a function. Returns what was wrong with the log.
pub(super) fn log(path: &Path, found: &mut dyn FnMut(Hit)) -> Option<Problem> {
    let name = path.display().to_string();
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        match fs_err::File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) => return Some(unreadable(name, &error)),
        }
    };
    let mut input = BufReader::with_capacity(256 * 1024, input);
    let is_compressed = match input.fill_buf() {
        Ok(start) => start.starts_with(&GZIP),
        Err(error) => return Some(unreadable(name, &error)),
    };
    let summary = if is_compressed {
        lines(
            BufReader::with_capacity(256 * 1024, MultiGzDecoder::new(input)),
            found,
        )
    } else {
        lines(input, found)
    };
    let LogSummary {
        read,
        broken,
        first,
        error,
    } = summary;
    if let Some((line, error)) = error {
        let why = workspace::files::reason(&error);
        let message = format!("the log is cut off at this line ({why}); {}", counted(read));
        return Some(
            Problem::warning(Code::VisitsLog, message).at(Place::file(format!("{name}:{line}"))),
        );
    }
    let line = first?;
    if read == 0 {
        let problem = Problem::error(Code::VisitsLog, "no line in the log has a known format")
            .at(Place::file(format!("{name}:{line}")));
        return Some(
            problem.hint(
                "name a log from nginx (`combined`, JSON), CloudFront or Cloudflare's Logpush",
            ),
        );
    }
    let lines = if broken == 1 {
        "this line is truncated or in a different format, and was not counted".to_owned()
    } else {
        format!(
            "{broken} lines, of which this is the first, are truncated or in a different format, and were not counted"
        )
    };
    let message = format!("{lines}; {}", counted(read));
    Some(Problem::warning(Code::VisitsLog, message).at(Place::file(format!("{name}:{line}"))))
}

/// How many requests were counted.
fn counted(read: usize) -> String {
    if read == 1 {
        "1 request was counted".to_owned()
    } else {
        format!("{read} requests were counted")
    }
}

#[derive(Default)]
struct LogSummary {
    /// Requests.
    read: usize,
    /// Lines that could not be read.
    broken: usize,
    /// The number of the first of them.
    first: Option<usize>,
    /// Why reading stopped, and at which line.
    error: Option<(usize, std::io::Error)>,
}

fn lines(mut input: impl BufRead, found: &mut dyn FnMut(Hit)) -> LogSummary {
    let (mut reader, mut summary) = (Reader::default(), LogSummary::default());
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                summary.error = Some((number, error));
                break;
            }
        }
        let is_whole = bytes.len() as u64 != LONGEST || bytes.ends_with(b"\n");
        if !is_whole && let Err(error) = input.skip_until(b'\n') {
            summary.error = Some((number, error));
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        match if is_whole {
            reader.read(&line, found)
        } else {
            LineKind::Broken
        } {
            LineKind::Hit => summary.read += 1,
            LineKind::Nothing => {}
            LineKind::Broken => {
                summary.broken += 1;
                summary.first.get_or_insert(number);
            }
        }
    }
    summary
}
