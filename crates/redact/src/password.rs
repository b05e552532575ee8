//! Estimates whether a text is a password that a person chose: it may be any word, so its context
//! decides how much it has to look like one.

use super::entropy::{Count, secret};
use super::placeholder::{is_code, is_placeholder};

/// The longest candidate for a password, in characters.
const PASSWORD_CHARS: usize = 128;
/// The longest port number, in digits.
const PORT: usize = 5;
/// Placeholders for a password.
const PLAIN: [&str; 12] = [
    "password", "pass", "passwd", "pwd", "secret", "token", "pw", "port", "yes", "username",
    "pass1", "string",
];
/// Words that may follow a name without being its value: types, states, names of variables, and
/// words for a password in other languages.
const NO_PASSWORDS: &str = "\
    string bytes buffer array object integer varchar varying binary struct optional maybe \
    unknown literal column field schema symbol unicode number boolean nothing static return \
    await async function lambda public private default required invalid incorrect correct wrong \
    missing empty hidden valid failed failure success passed verified strong plain plaintext \
    cleartext crypt bcrypt scrypt argon digest cipher value input output parameter params \
    argument options config settings username account entered response request result kennwort \
    contraseña senha wachtwoord adgangskode salasana hasło пароль define";
/// Fragments of words about passwords.
const SPEAKS: [&str; 7] = ["passw", "passp", "secret", "token", "hash", "encrypt", "login"];
/// Words that follow a flag in prose.
const PROSE: [&str; 12] = [
    "the", "and", "for", "with", "flag", "option", "which", "that", "instead", "argument", "means",
    "switch",
];
/// Other flags that start with `-p`, without that prefix.
const OTHER_FLAGS: [&str; 15] = [
    "ath", "erm", "rint", "rint0", "rintf", "rune", "arents", "rogress", "reserve", "ort", "refix",
    "ass", "assin", "assout", "assword",
];

/// Whether a person may have chosen it, given that its name means password.
pub(super) fn password(text: &str) -> bool {
    let chars = text.chars().count();
    if !(6..=PASSWORD_CHARS).contains(&chars) || is_placeholder(text) || is_code(text) {
        return false;
    }
    let count = Count::of(text);
    let kinds = [count.lower, count.upper, count.digit, count.other];
    let kinds = kinds.iter().filter(|it| **it > 0).count();
    let spaced = text.contains(' ');
    let all_digits = count.digit == chars;
    all_digits || (kinds >= 2 && count.digit + count.other > 0 && (!spaced || kinds >= 4))
}

/// Whether a person may have chosen it, or it looks generated.
pub(super) fn chosen_or_drawn(text: &str) -> bool {
    password(text) || secret(text)
}

/// Whether it is the password in a URL: hardly anything else can be there.
pub(super) fn address_password(text: &str) -> bool {
    let filled_in =
        text.starts_with(['$', '{', '<']) || ["%(", "**"].iter().any(|it| text.starts_with(it));
    !filled_in && !is_placeholder(text) && !PLAIN.contains(&text.to_ascii_lowercase().as_str())
}

/// The same for an unescaped password, which may contain what ends the host in other URLs: it must
/// not be a port and a path, or a password followed by a whole host.
pub(super) fn address_password_unescaped(text: &str) -> bool {
    let (port, path) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let is_port = !port.is_empty() && port.len() <= PORT && path.starts_with(['/', '?', '#']);
    let host =
        text.split_once('@').and_then(|(_, rest)| rest.split_once('/')).map_or("", |it| it.0);
    let is_host = host.contains(['.', ':']) || host == "localhost";
    !is_port && !is_host && address_password(text)
}

/// Whether it is a password on a command line, after a flag that takes one.
pub(super) fn typed(text: &str) -> bool {
    let digits = text.bytes().all(|it| it.is_ascii_digit() || it == b':');
    let is_port = digits && (text.len() <= PORT || text.contains(':'));
    let is_other = text.starts_with(['-', '`', '%', '@', '~', '=']) || text.starts_with("\\$");
    !is_port && !is_other && !PROSE.contains(&text) && address_password(text)
}

/// The same directly after `-p`.
pub(super) fn typed_behind(text: &str) -> bool {
    !OTHER_FLAGS.contains(&text) && typed(text)
}

/// Whether one word is a password, where that is likely: in quotes, or alone on its line.
pub(super) fn word(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_state = lower.ends_with("ed") || lower.ends_with("able");
    let is_deed = text.ends_with("ing") && lower == text;
    text.chars().all(char::is_alphabetic)
        // Code joins words by case, and writes constants in capitals.
        && !text.chars().skip(1).any(char::is_uppercase)
        && !is_state
        && !is_deed
        && is_no_other_word(&lower)
}

/// Whether it is the value of an environment variable whose name means password.
pub(super) fn assigned(text: &str) -> bool {
    let is_words = text.split('-').all(|it| !it.is_empty() && it.chars().all(char::is_alphabetic));
    let is_joined =
        text.chars().any(char::is_lowercase) && text.chars().skip(1).any(char::is_uppercase);
    password(text) || (is_words && !is_joined && !stands_for_another(&text.to_lowercase()))
}

/// Whether it is a password after `pass`, a word that is also common in test output and source
/// code.
pub(super) fn after_pass(text: &str) -> bool {
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    let is_test = text.contains(['/', '.']) || text.to_ascii_lowercase().contains("test");
    let is_name = text.chars().all(char::is_lowercase);
    !is_number && !is_test && !is_name && (password(text) || word(text))
}

/// Whether it is a wallet's phrase of twelve or more words; these words never occur in one.
pub(super) fn mnemonic(text: &str) -> bool {
    let prose = [
        "the", "and", "for", "with", "from", "are", "was", "were", "but", "not", "has", "had",
        "your", "their", "its",
    ];
    !text.split(|it: char| !it.is_alphabetic()).any(|it| prose.contains(&it))
}

fn is_no_other_word(lower: &str) -> bool {
    let speaks = lower.ends_with("pass") || SPEAKS.iter().any(|it| lower.contains(it));
    !speaks && !stands_for_another(lower)
}

fn stands_for_another(lower: &str) -> bool {
    is_placeholder(lower) || PLAIN.contains(&lower) || NO_PASSWORDS.split(' ').any(|it| it == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_chose_is_told_from_code() {
        let check = |test: fn(&str) -> bool, text: &str, expected: bool| {
            assert_eq!(test(text), expected, "{text}");
        };
        check(password, "hunter2", true);
        check(password, "T9#kf!2x", true);
        check(password, "grün7!Bäume", true);
        check(password, "84512390", true);
        check(password, "required", false);
        check(password, "user.password", false);
        check(password, "${DB_PASSWORD}", false);
        check(password, "********", false);
        check(password, "/etc/passwd2", false);
        check(password, "0x803100AC", false);
        check(password, "1323u32", false);
        check(address_password, "postgres", true);
        check(address_password, "password", false);
        check(address_password_unescaped, "p@ss/word", true);
        check(address_password_unescaped, "4000/river", false);
        check(address_password_unescaped, "x7@git.example.net/a/b.git", false);
        check(typed, "Regenbogen", true);
        check(typed, "3306:3306", false);
        check(typed, "$PASSWORD", false);
        check(typed, "--host", false);
        check(typed, "flag", false);
        check(typed_behind, "rint", false);
        check(word, "regenbogen", true);
        check(word, "swordfish", true);
        check(word, "Liebling", true);
        check(word, "nothing", false);
        check(word, "waiting", false);
        check(word, "Regenbogen", true);
        check(word, "SecretString", false);
        check(word, "newValue", false);
        check(word, "hashed", false);
        check(word, "get_it", false);
        check(assigned, "correct-horse-battery", true);
        check(assigned, "options.value", false);
        check(assigned, "newPassword", false);
        check(assigned, "mysecretpassword", true);
        check(after_pass, "Sommer2024", true);
        check(after_pass, "resolve", false);
        check(after_pass, "123456", false);
        check(mnemonic, "legal winner thank", true);
        check(mnemonic, "legal and winner", false);
    }
}
