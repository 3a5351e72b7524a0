//! Measures the stages of a build and the work of the threads within them. Printed as a table (`--timings`), or written
//! as a trace (`--trace FILE`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

/// The stopwatch of one run. If it is off, it measures nothing.
#[derive(Debug)]
pub struct Timings {
    begun: Instant,
    is_on: bool,
    spans: Mutex<Vec<MeasuredSpan>>,
}

/// One measured interval. Times are relative to the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MeasuredSpan {
    name: &'static str,
    /// The address or file that was worked on; `None` for a stage.
    what: Option<String>,
    /// Whether it is a stage of the pipeline, not a part of a stage.
    is_stage: bool,
    thread: usize,
    start: Duration,
    length: Duration,
}

/// An entry of the trace event format, which `chrome://tracing` and Perfetto read. Times are microseconds.
#[derive(Serialize)]
struct TraceEvent<'a> {
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
    /// Starts the stopwatch.
    pub fn new(is_on: bool) -> Timings {
        Timings {
            begun: Instant::now(),
            is_on,
            spans: Mutex::default(),
        }
    }

    /// A stopwatch that measures nothing.
    pub fn off() -> Timings {
        Timings::new(false)
    }

    /// Runs and measures a stage.
    pub fn stage<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.timed(name, None, true, work)
    }

    /// Runs and measures a part of a stage, on any thread.
    pub fn part<T>(&self, name: &'static str, what: &str, work: impl FnOnce() -> T) -> T {
        self.timed(name, Some(what), false, work)
    }

    fn timed<T>(
        &self,
        name: &'static str,
        what: Option<&str>,
        is_stage: bool,
        work: impl FnOnce() -> T,
    ) -> T {
        if !self.is_on {
            return work();
        }
        let start = self.begun.elapsed();
        let result = work();
        let length = self.begun.elapsed().saturating_sub(start);
        let thread = rayon::current_thread_index().map_or(0, |index| index + 1);
        let span = MeasuredSpan {
            name,
            what: what.map(str::to_owned),
            is_stage,
            thread,
            start,
            length,
        };
        self.spans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(span);
        result
    }

    fn spans(&self) -> Vec<MeasuredSpan> {
        let mut spans = self
            .spans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        spans.sort_by(|a, b| (a.start, b.length).cmp(&(b.start, a.length)));
        spans
    }

    /// The stages with their wall times; below each stage the times of its parts, summed over all threads.
    pub fn table(&self) -> String {
        let spans = self.spans();
        let (stages, parts): (Vec<&MeasuredSpan>, Vec<&MeasuredSpan>) =
            spans.iter().partition(|span| span.is_stage);
        let mut text = String::from("stage                      wall     all threads\n");
        let (mut total, mut covered) = (Duration::ZERO, Duration::ZERO);
        for stage in &stages {
            let end = stage.start + stage.length;
            // A stage within another one, or beside it on another thread, adds nothing to the time that has passed.
            let is_within = end <= covered;
            let name = if is_within {
                format!("  {}", stage.name)
            } else {
                stage.name.to_owned()
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<20} {}", milliseconds(stage.length));
            total += end.saturating_sub(stage.start.max(covered));
            covered = covered.max(end);
            let mut sums: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
            for part in parts
                .iter()
                .filter(|part| part.start >= stage.start && part.start < end)
            {
                let (count, sum) = sums.entry(part.name).or_default();
                *count += 1;
                *sum += part.length;
            }
            for (name, (count, sum)) in sums {
                let _ = writeln!(
                    text,
                    "  {name:<18}              {}  {count} times",
                    milliseconds(sum)
                );
            }
        }
        let _ = writeln!(text, "{:<20} {}", "total", milliseconds(total));
        text
    }

    /// Writes every interval in Chrome's trace event format.
    pub fn write_trace(&self, file: &Path) -> io::Result<()> {
        fs_err::write(file, self.trace())
    }

    fn trace(&self) -> String {
        let spans = self.spans();
        let events: Vec<TraceEvent> = spans
            .iter()
            .map(|span| TraceEvent {
                name: span.name,
                cat: if span.is_stage { "stage" } else { "part" },
                ph: "X",
                ts: span.start.as_micros(),
                dur: span.length.as_micros(),
                pid: 1,
                tid: span.thread,
                args: span
                    .what
                    .as_deref()
                    .map(|what| BTreeMap::from([("what", what)])),
            })
            .collect();
        // A struct of strings and numbers always serializes.
        serde_json::to_string(&BTreeMap::from([("traceEvents", events)])).unwrap_or_default()
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:>9.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Timings;

    #[test]
    fn parts_are_listed_below_their_stage() {
        let timings = Timings::new(true);
        timings.stage("render", || {
            timings.part("write", "/a/", || ());
            timings.part("write", "/b/", || ());
        });
        let table = timings.table();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[1].starts_with("render "), "{table}");
        assert!(
            lines[2].starts_with("  write ") && lines[2].ends_with("2 times"),
            "{table}"
        );
        assert!(timings.trace().contains(r#""args":{"what":"/b/"}"#));
    }

    #[test]
    fn a_stage_within_another_one_is_not_counted_twice() {
        let timings = Timings::new(true);
        timings.stage("publish", || {
            timings.stage("index pages", || {
                std::thread::sleep(Duration::from_millis(20));
            });
        });
        let table = timings.table();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[2].starts_with("  index pages "), "{table}");
        let time = |line: &str| {
            line.split_whitespace()
                .rev()
                .nth(1)
                .and_then(|time| time.parse::<f64>().ok())
        };
        assert_eq!(time(lines[3]), time(lines[1]), "{table}");
    }

    #[test]
    fn nothing_is_measured_when_it_is_off() {
        let timings = Timings::off();
        assert_eq!(timings.stage("render", || 7), 7);
        assert!(!timings.table().contains("render"));
    }
}
