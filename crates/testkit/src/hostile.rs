//! Text that tries to be more than text.

/// Text that a terminal would interpret, hide or choke on, in many forms.
#[must_use]
pub fn payloads() -> Vec<String> {
    let begins = [
        "\u{1b}", "\u{9b}", "\u{9d}", "\u{90}", "\u{1b}[", "\u{1b}]", "\u{1b}P", "\u{1b}_",
        "\u{1b}^",
    ];
    let bodies = [
        "31mred",
        "2J",
        "?1049l",
        "0;pwned\u{7}",
        "52;c;cHduZWQ=\u{7}",
        "8;;http://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\",
        "c",
        "6n",
        "?2004l",
        "1337;File=inline=1:AAAA\u{7}",
        "$q\"p\u{1b}\\",
    ];
    let mut out: Vec<String> = begins
        .iter()
        .flat_map(|begin| bodies.iter().map(move |body| format!("{begin}{body}")))
        .collect();
    for mark in [
        '\u{202a}',
        '\u{202e}',
        '\u{2066}',
        '\u{2069}',
        '\u{200b}',
        '\u{200d}',
        '\u{2060}',
        '\u{feff}',
        '\u{ad}',
        '\u{61c}',
        '\u{e0041}',
        '\u{180e}',
        '\u{fff9}',
        '\u{3164}',
        '\u{2028}',
        '\u{85}',
    ] {
        out.push(format!("safe{mark}txt.exe"));
        out.push(mark.to_string().repeat(300));
    }
    for control in (0_u8..32).chain([127]) {
        out.push(format!("a{}b", char::from(control)));
    }
    out.push("x".repeat(20_000));
    out.push(format!("Z{}", "\u{301}".repeat(5_000)));
    out.push("漢".repeat(5_000));
    out.push("👩‍👩‍👧‍👦".repeat(500));
    out.push("❤\u{fe0f}".repeat(500));
    out.push("a\r\n\u{8}\u{8}\u{8}overwritten".to_owned());
    out
}

/// The first character that a terminal would interpret or that is invisible; line ends are allowed.
#[must_use]
pub fn raw(text: &str) -> Option<char> {
    let is_hidden = |it: char| {
        matches!(it,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().find(|it| (it.is_control() && *it != '\n') || is_hidden(*it))
}
