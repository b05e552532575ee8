//! Which records are logged: `TAFFRAIL_LOG`, with the syntax of `RUST_LOG`.

use std::str::FromStr;
use thiserror::Error;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// The default level.
pub const DEFAULT_LEVEL: &str = "info";
/// The prefix of all our crates.
const OURS: &str = "taffrail";

/// Which records are logged.
#[derive(Debug, Clone, PartialEq)]
pub struct LogFilter {
    targets: Targets,
    most: LevelFilter,
}

/// A filter that cannot be parsed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FilterError {
    /// A word that is neither a level nor a part of Taffrail.
    #[error(
        "`{0}` is neither a level (error, warn, info, debug, trace, off) nor a part of Taffrail"
    )]
    Unknown(String),
    /// A part with a level that does not exist.
    #[error("`{0}` does not end with a level: error, warn, info, debug, trace or off")]
    Level(String),
}

impl Default for LogFilter {
    fn default() -> Self {
        Self::new(vec![(OURS.to_owned(), LevelFilter::INFO)])
    }
}

impl FromStr for LogFilter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let words = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let directives = words.map(directive).collect::<Result<Vec<_>, _>>()?;
        if directives.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self::new(directives))
    }
}

impl LogFilter {
    fn new(directives: Vec<(String, LevelFilter)>) -> Self {
        let most = directives.iter().map(|(_, level)| *level).max().unwrap_or(LevelFilter::OFF);
        Self { targets: Targets::new().with_targets(directives), most }
    }

    /// True if a record of this target and level is logged.
    pub(super) fn passes(&self, target: &str, level: Level) -> bool {
        self.targets.would_enable(target, &level)
    }

    /// The most verbose level that is logged.
    pub(super) fn most(&self) -> LevelFilter {
        self.most
    }
}

/// Parses one directive: a level for all of Taffrail, or a part of it with or without its own
/// level.
fn directive(word: &str) -> Result<(String, LevelFilter), FilterError> {
    let (target, level) = match word.split_once('=') {
        Some((target, level)) => {
            let level = LevelFilter::from_str(level.trim());
            (target.trim(), level.map_err(|_| FilterError::Level(word.to_owned()))?)
        }
        None => LevelFilter::from_str(word).map_or((word, LevelFilter::TRACE), |it| (OURS, it)),
    };
    let is_ours = target
        .strip_prefix(OURS)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('_') || rest.starts_with("::"));
    if is_ours {
        Ok((target.to_owned(), level))
    } else {
        Err(FilterError::Unknown(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_filter_lets_pass() {
        let check = |filter: &str, target: &str, level: Level, expected: bool| {
            let read: LogFilter = filter.parse().unwrap();
            assert_eq!(read.passes(target, level), expected, "{filter} {target} {level}");
        };
        check("", "taffrail_sync", Level::INFO, true);
        check("", "taffrail_sync", Level::DEBUG, false);
        check("warn", "taffrail_daemon::live", Level::INFO, false);
        check("warn", "taffrail_daemon::live", Level::WARN, true);
        check("taffrail_sync=debug,info", "taffrail_sync::hub", Level::DEBUG, true);
        check("taffrail_sync=debug,info", "taffrail_store", Level::DEBUG, false);
        check("taffrail_sync=debug,info", "taffrail_store", Level::INFO, true);
        check("taffrail_sync", "taffrail_sync", Level::TRACE, true);
        check("OFF", "taffrail", Level::ERROR, false);
        // Libraries are not logged at any level.
        check("trace", "async_nats", Level::ERROR, false);
        check("debug", "hyper::client", Level::WARN, false);
    }

    #[test]
    fn a_wrong_filter_says_which_word_is_wrong() {
        let check = |filter: &str, expected: &str| {
            let error = filter.parse::<LogFilter>().unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("wran", "`wran` is neither a level");
        check("info,hyper=debug", "`hyper=debug` is neither a level");
        check("taffrail_sync=loud", "`taffrail_sync=loud` does not end with a level");
        check("taffrailing=info", "`taffrailing=info` is neither");
    }

    #[test]
    fn nothing_above_the_most_is_asked_about() {
        let most = |filter: &str| filter.parse::<LogFilter>().unwrap().most();
        assert_eq!(most(""), LevelFilter::INFO);
        assert_eq!(most("taffrail_sync=debug,warn"), LevelFilter::DEBUG);
        assert_eq!(most("off"), LevelFilter::OFF);
    }
}
