//! Writes each record of this process that passes the filter as one line.

use super::file::LogFile;
use super::filter::LogFilter;
use super::record::rendered;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use taffrail_model::Timestamp;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The log of this process. It ignores spans: every line names its subject.
pub(super) struct Log {
    file: Mutex<LogFile>,
    filter: LogFilter,
    now: fn() -> Timestamp,
}

impl Log {
    pub(super) fn new(file: LogFile, filter: LogFilter, now: fn() -> Timestamp) -> Self {
        Self { file: Mutex::new(file), filter, now }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && self.filter.passes(metadata.target(), *metadata.level())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.filter.most())
    }

    fn event(&self, event: &Event<'_>) {
        let line = rendered((self.now)(), event);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // If the disk is full or the folder is gone, the line is lost: there is nowhere else to
        // report it.
        file.write_all(line.as_bytes()).ok();
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::super::{log_path, parse};
    use super::*;
    use std::fs;

    fn at() -> Timestamp {
        "2026-11-17T09:30:00.12345Z".parse().unwrap()
    }

    /// The lines that are logged with this filter.
    fn logged(filter: &str, what: impl FnOnce()) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = log_path(folder.path());
        let log = Log::new(LogFile::new(path.clone()), filter.parse().unwrap(), at);
        tracing::subscriber::with_default(log, what);
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_is_one_line_and_reads_back_as_it_was() {
        let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        let lines = logged("info", || {
            let error = format!("cannot read\n\"x\" with {secret}");
            tracing::warn!(error = %error, count = 3, found = true, "cannot sign the log");
            tracing::debug!("not at this level");
            tracing::info!(target: "hyper", "not ours");
            tracing::info!("two\nlines");
        });
        assert_eq!(lines.len(), 2, "{lines:?}");
        let first = "2026-11-17T09:30:00.123Z WARN taffrail_server::logs::subscriber::tests: cannot sign the log \
                     error=\"cannot read\\n\\\"x\\\" with [redacted:github-token]\" count=3 found=true";
        assert_eq!(lines[0], first);
        let read = parse(&lines[0]);
        assert_eq!(read.at, "2026-11-17T09:30:00.123Z".parse().ok());
        assert_eq!(read.level.as_deref(), Some("warn"));
        assert_eq!(read.message, "cannot sign the log");
        assert_eq!(read.fields["error"], "cannot read\n\"x\" with [redacted:github-token]");
        assert_eq!((read.fields["count"].as_str(), read.fields.len()), ("3", 3));
        assert!(lines[1].ends_with(": two lines"), "{}", lines[1]);
    }

    #[test]
    fn many_threads_tear_no_line() {
        let lines = logged("info", || {
            let here = tracing::dispatcher::get_default(Clone::clone);
            std::thread::scope(|threads| {
                for thread in 0..8 {
                    let here = here.clone();
                    threads.spawn(move || {
                        tracing::dispatcher::with_default(&here, || {
                            (0..200)
                                .for_each(|it| tracing::info!(thread, it, "a line of some length"));
                        });
                    });
                }
            });
        });
        assert_eq!(lines.len(), 1600);
        assert!(lines.iter().all(|it| parse(it).fields.len() == 2), "{lines:?}");
    }
}
