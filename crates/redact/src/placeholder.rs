//! Recognizes placeholders, references and code in the place of a secret.

/// The prefix of every replacement.
pub(super) const MARK: &str = "[redacted:";

/// Words of placeholders.
const STANDS_FOR: [&str; 26] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "your-",
    "your_",
    "yourp",
    "yourt",
    "yours",
    "youra",
    "yourk",
    "xxxx",
    "****",
    "....",
    "••",
    "redacted",
    "dummy",
    "insert",
    "replace",
    "process.env",
    "os.environ",
    "getenv",
    "undefined",
    "<",
    "…",
];
/// Words that are values of other kinds.
const WORDS: [&str; 12] = [
    "string", "number", "boolean", "null", "none", "true", "false", "nil", "optional", "required",
    "invalid", "missing",
];
/// Prefixes of references to a secret.
const REFERENCES: [&str; 18] = [
    "$", "{", "%(", "%{", "@", "/", "./", "../", "~/", "&", "!", "#{", "env:", "file:", "op://",
    "http://", "https://", "arn:",
];

/// Whether it is a placeholder, or a reference to where the secret is.
pub(super) fn is_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    STANDS_FOR.iter().any(|it| lower.contains(it))
        || WORDS.contains(&lower.as_str())
        || is_one_character(text)
}

/// Whether it is a variable, a path or a URL.
pub(super) fn is_reference(text: &str) -> bool {
    REFERENCES.iter().any(|it| text.starts_with(it))
}

/// Whether it is a piece of code: a name, a call, a path.
pub(super) fn is_code(text: &str) -> bool {
    let starts = [
        "$", "{", "%(", "%{", "./", "../", "~/", "/", "env:", "file:", "op://", "http", "arn:",
        "&", "=", "|",
    ];
    let holds =
        ["(", "::", "->", "=>", "${", "{{", "[\"", "['", "==", "&&", "||", "\\n", "):", "]:", "!="];
    starts.iter().any(|it| text.starts_with(it))
        || holds.iter().any(|it| text.contains(it))
        || is_name(text)
        || is_number(text)
}

/// Whether it is an identifier or one word.
fn is_name(text: &str) -> bool {
    let joint = |it: char| {
        matches!(it, '_' | '.' | '-' | '?' | '!' | ':' | '/' | '*' | '[' | ']' | '|' | '`')
    };
    text.split(joint).all(|part| {
        part.chars().all(char::is_alphabetic)
            || (part.len() != text.len() && part.bytes().all(|it| it.is_ascii_digit()))
    })
}

/// Whether it is a number in code, with a type suffix or in hexadecimal.
fn is_number(text: &str) -> bool {
    let hex = text.strip_prefix("0x").is_some_and(|it| it.len() <= 12 || it.contains('_'));
    let typed = text.trim_start_matches(|it: char| it.is_ascii_digit());
    hex || (typed.len() < text.len()
        && matches!(
            typed,
            "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | "usize" | "L" | "UL" | "n"
        ))
}

fn is_one_character(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    chars.all(|it| Some(it) == first)
}
