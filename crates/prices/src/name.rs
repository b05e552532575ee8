//! The names under which the price of a model may be listed.

/// What an agent may add to the name of a model with a window of a million tokens.
const MILLION: &str = "[1m]";
/// How a date is added to a name: by which letter, and in which form. `#` means a digit.
const DATES: [(char, &str); 3] = [('-', "########"), ('@', "########"), ('-', "####-##-##")];

/// Who runs models on this machine: the name below is not a seller's, whatever it looks like.
const LOCAL: [&str; 12] = [
    "ollama",
    "ollama_chat",
    "lmstudio",
    "lm_studio",
    "llamacpp",
    "llama.cpp",
    "llamafile",
    "vllm",
    "hosted_vllm",
    "mlx",
    "localai",
    "local",
];

/// A model's name in lower case, without what surrounds it.
pub(crate) fn folded(model: &str) -> String {
    model.trim().to_lowercase()
}

/// The names to look for, the one that was asked for first: then without its date, its provider, and both.
pub(crate) fn candidates(model: &str) -> Vec<String> {
    let name = folded(model);
    let name = name.as_str();
    let is_local = name.split_once('/').is_some_and(|(prefix, _)| LOCAL.contains(&prefix));
    let slashes = name.match_indices('/').filter(|_| !is_local);
    let below = slashes.filter_map(|(at, _)| name.get(at + 1..));
    let forms = std::iter::once(name).chain(below).flat_map(|it| [Some(it), undated(it)]);
    let mut out: Vec<String> = Vec::new();
    for form in forms.flatten().filter(|it| !it.is_empty()) {
        if !out.iter().any(|it| it == form) {
            out.push(form.to_owned());
        }
    }
    out
}

/// The name without the mark of a large window.
pub(crate) fn without_window(name: &str) -> &str {
    name.strip_suffix(MILLION).unwrap_or(name)
}

/// The name without its date; `None` if it has none.
fn undated(name: &str) -> Option<&str> {
    DATES.iter().find_map(|(mark, form)| {
        let at = name.len().checked_sub(form.len() + 1)?;
        let date = name.get(at..)?.strip_prefix(*mark)?;
        fits(form, date).then(|| name.get(..at)).flatten()
    })
}

/// Whether the text has the form, in which `#` means a digit.
pub(crate) fn fits(form: &str, text: &str) -> bool {
    let is_same = |(form, it): (char, char)| match form {
        '#' => it.is_ascii_digit(),
        _ => form == it,
    };
    form.chars().count() == text.chars().count() && form.chars().zip(text.chars()).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_as_asked_then_without_date_and_provider() {
        let check = |model: &str, expected: &[&str]| assert_eq!(candidates(model), expected);
        check(" Big-Model ", &["big-model"]);
        check("big-20260901", &["big-20260901", "big"]);
        check("big@20260901", &["big@20260901", "big"]);
        check("gpt-5-2025-08-07", &["gpt-5-2025-08-07", "gpt-5"]);
        check("anthropic/big", &["anthropic/big", "big"]);
        check(
            "a/b/big-20260901",
            &["a/b/big-20260901", "a/b/big", "b/big-20260901", "b/big", "big-20260901", "big"],
        );
        check("ollama/big-20260901", &["ollama/big-20260901", "ollama/big"]);
        check("big-2026090", &["big-2026090"]);
        check("20260901", &["20260901"]);
        check("é-20260901", &["é-20260901", "é"]);
        check("", &[]);
        check("a/", &["a/"]);
    }
}
