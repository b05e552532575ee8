//! Truncates text at character boundaries.

/// At most `limit` bytes of a text, ending between characters.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}
