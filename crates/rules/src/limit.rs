//! The size limit for commands.

/// The longest command that is parsed, in bytes. No rule allows a longer one.
pub const COMMAND_BYTES: usize = 64 * 1024;

/// At most `limit` bytes of a text, ending between characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}
