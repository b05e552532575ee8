//! Cuts a text into pieces that are short enough for one vector.

/// A longer piece is about too many things for one vector.
const PIECE_BYTES: usize = 800;
/// The most pieces of a text; what follows has no vector.
pub(crate) const MOST_PIECES: usize = 16;

/// The pieces of a text, cut at white space where possible.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let next = move || {
        (!rest.is_empty()).then(|| {
            let (piece, after) = rest.split_at(cut(rest));
            rest = after;
            piece
        })
    };
    std::iter::from_fn(next).take(MOST_PIECES)
}

/// Where the first piece ends: after the last white space in its second half, or at its limit.
fn cut(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let limit = text.floor_char_boundary(PIECE_BYTES);
    let half = text.floor_char_boundary(PIECE_BYTES / 2);
    let second = text.get(half..limit).unwrap_or_default();
    second.rfind(char::is_whitespace).map_or(limit, |at| half + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_cut_at_white_space() {
        let check = |text: &str, expected: &[usize]| {
            assert_eq!(pieces(text).map(str::len).collect::<Vec<_>>(), expected);
        };
        check("", &[]);
        check("short", &[5]);
        check(&"x".repeat(2_000), &[800, 800, 400]);
        check(&format!("{} {}", "x".repeat(700), "y".repeat(300)), &[700, 301]);
        check(&"é".repeat(500), &[800, 200]);
        check(&"z".repeat(100_000), &[800; MOST_PIECES]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_in_order(text in "\\PC{0,3000}") {
            let joined: String = pieces(&text).collect();
            prop_assert!(text.starts_with(&joined));
            prop_assert!(joined.len() == text.len() || pieces(&text).count() == MOST_PIECES);
            prop_assert!(pieces(&text).all(|it| !it.is_empty() && it.len() <= PIECE_BYTES));
        }
    }
}
