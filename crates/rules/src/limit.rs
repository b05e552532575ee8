//! How much of a command is read.

/// The longest command that is looked at, in bytes. A longer one is never allowed by a rule.
pub const COMMAND_BYTES: usize = 64 * 1024;

/// At most `limit` bytes of a text, ending between characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}
