//! The asciicast format, version 2: a header, then one event a line.

use crate::pty::Size;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The version of the format.
const VERSION: u8 = 2;

/// The header of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    version: u8,
    width: u16,
    height: u16,
    /// When the part begins, in seconds since 1970.
    pub(super) timestamp: i64,
    /// The number of the part, from 1. Players ignore it.
    pub(super) part: u32,
}

/// An event of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CastEvent {
    Output(String),
    Resized(Size),
    Marker(String),
}

impl Header {
    pub(super) fn new(size: Size, timestamp: i64, part: u32) -> Self {
        Self { version: VERSION, width: size.columns, height: size.rows, timestamp, part }
    }

    pub(super) fn size(self) -> Size {
        Size { rows: self.height, columns: self.width }
    }

    pub(super) fn line(self) -> String {
        serde_json::to_string(&self).map(|it| it + "\n").unwrap_or_default()
    }

    /// `None` for a torn line or another version.
    pub(super) fn parse(line: &str) -> Option<Self> {
        serde_json::from_str::<Self>(line).ok().filter(|it| it.version == VERSION)
    }
}

impl CastEvent {
    /// The event as a line, at a time after the beginning of its part.
    pub(super) fn line(&self, at: Duration) -> String {
        let (code, text) = match self {
            Self::Output(text) => ("o", text.clone()),
            Self::Resized(size) => ("r", format!("{}x{}", size.columns, size.rows)),
            Self::Marker(label) => ("m", label.clone()),
        };
        let seconds = at.as_millis() as f64 / 1e3;
        serde_json::to_string(&(seconds, code, text)).map(|it| it + "\n").unwrap_or_default()
    }

    /// The event of a line and its time. A torn or unknown line is skipped.
    pub(super) fn parse(line: &str) -> Option<(Duration, Self)> {
        let (seconds, code, text): (f64, String, String) = serde_json::from_str(line).ok()?;
        let event = match code.as_str() {
            "o" => Self::Output(text),
            "r" => Self::Resized(size(&text)?),
            "m" => Self::Marker(text),
            _ => return None,
        };
        Some((Duration::try_from_secs_f64(seconds).ok()?, event))
    }
}

fn size(text: &str) -> Option<Size> {
    let (columns, rows) = text.split_once('x')?;
    Some(Size { rows: rows.parse().ok()?, columns: columns.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_those_that_players_read() {
        let size = Size { rows: 24, columns: 80 };
        let header = Header::new(size, 1_700_000_000, 1).line();
        let expected =
            "{\"version\":2,\"width\":80,\"height\":24,\"timestamp\":1700000000,\"part\":1}\n";
        assert_eq!(header, expected);
        let check = |event: CastEvent, expected: &str| {
            let line = event.line(Duration::from_millis(1500));
            assert_eq!(line, format!("{expected}\n"));
            assert_eq!(CastEvent::parse(&line), Some((Duration::from_millis(1500), event)));
        };
        check(CastEvent::Output("\x1b[1m\"a\"\r\n".into()), r#"[1.5,"o","\u001b[1m\"a\"\r\n"]"#);
        check(CastEvent::Resized(size), r#"[1.5,"r","80x24"]"#);
        check(CastEvent::Marker("hidden input".into()), r#"[1.5,"m","hidden input"]"#);
    }

    proptest! {
        #[test]
        fn any_cut_of_a_line_is_silence(text in ".*", cut in 0_usize..40) {
            let line = CastEvent::Output(text).line(Duration::from_secs(1));
            let line = line.trim_end();
            let torn: String = line.chars().take(cut).collect();
            prop_assert_eq!(CastEvent::parse(&torn).is_some(), torn == line);
        }
    }
}
