//! Numbers as people read them.

/// A count in at most five characters: `999`, `1.2k`, `34k`, `1.2M`.
pub fn short(count: u64) -> String {
    let scaled = |unit: f64, letter: char| {
        let number = count as f64 / unit;
        // If rounding would give four digits and a point, the point is dropped.
        if number < 9.95 { format!("{number:.1}{letter}") } else { format!("{number:.0}{letter}") }
    };
    match count {
        ..1_000 => count.to_string(),
        1_000..999_500 => scaled(1e3, 'k'),
        999_500..999_500_000 => scaled(1e6, 'M'),
        999_500_000..999_500_000_000 => scaled(1e9, 'G'),
        _ => scaled(1e12, 'T'),
    }
}

/// An amount of money; `-` if unknown. Little is not nothing.
pub fn dollars(microdollars: Option<i64>) -> String {
    match microdollars {
        None => "-".to_owned(),
        Some(1..5_000) => "<$0.01".to_owned(),
        Some(it) => format!("${:.2}", it as f64 / 1e6),
    }
}

/// What the mark of a list price means.
pub const LIST_PRICE: &str = "≈ list price, not a bill: `taffrail prices MODEL` shows the rule";

/// A known cost: `≈` marks that a list price is part of it, and `+?` that some answers have no known
/// cost; `-` if nothing is known.
pub fn cost(known: Option<i64>, reported: Option<i64>, unknown_answers: u64) -> String {
    let mark = if known == reported { "" } else { "≈" };
    let rest = if known.is_some() && unknown_answers > 0 { "+?" } else { "" };
    format!("{mark}{}{rest}", dollars(known))
}

/// A number with its noun, in the singular or plural.
pub fn counted(number: u64, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// Sessions and sub-agents separately; the first number counts both.
pub fn sessions(all: u64, sub_agents: u64) -> String {
    let main = counted(all.saturating_sub(sub_agents), "session");
    match sub_agents {
        0 => main,
        some => format!("{main} and {}", counted(some, "sub-agent")),
    }
}

/// A number of bytes with its unit.
pub fn bytes(count: u64) -> String {
    match count {
        ..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.2} GB", count as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        for (count, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (1_234_567, "1.2M"),
            (9_960, "10k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (34_500_000, "34M"),
            (2_500_000_000, "2.5G"),
            (u64::MAX, "18446744T"),
        ] {
            assert_eq!(short(count), expected, "{count}");
        }
        assert_eq!(dollars(Some(1_234_567)), "$1.23");
        assert_eq!(dollars(Some(0)), "$0.00");
        assert_eq!(dollars(Some(4_999)), "<$0.01");
        assert_eq!(dollars(None), "-");
    }

    #[test]
    fn sub_agents_are_counted_apart() {
        assert_eq!(sessions(1, 0), "1 session");
        assert_eq!(sessions(130, 10), "120 sessions and 10 sub-agents");
        assert_eq!(sessions(2, 1), "1 session and 1 sub-agent");
    }
}
