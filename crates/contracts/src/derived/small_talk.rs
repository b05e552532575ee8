//! Sentences that ask for nothing: greetings, thanks, and words that only keep a conversation going.

/// Words that small talk is made of.
const WORDS: &str = "hi hello hey hiya yo howdy greetings morning good evening afternoon night day there all \
    everyone team folks claude codex gemini goose assistant buddy friend mate thanks thank you thx ty cheers \
    ok okay k yes yep yeah yup no nope sure please great nice cool perfect awesome fine right well so and oh \
    how are is it going doing today this again back welcome what whats up s sup go ahead on continue proceed \
    next carry keep me i m im here now then ready let us lets begin start ping bye later see soon a lot very \
    much hallo guten tag morgen abend moin danke bitte ja nein weiter hola gracias bonjour salut merci ciao \
    hej ola";
/// The most words of a sentence of small talk.
const LONGEST: usize = 9;

/// Whether a sentence asks for nothing.
pub(super) fn is_small_talk(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let is_known = |word: &&str| WORDS.split_ascii_whitespace().any(|it| it == *word);
    words.len() <= LONGEST && words.iter().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_talk_is_told_from_a_task() {
        for text in
            ["hi", "Hey, good morning!", "hello there, how are you?", "go on", "thanks!", "ok", ""]
        {
            assert!(is_small_talk(text), "{text}");
        }
        for text in ["fix it", "Write a poem", "hi, fix the parser", "why?", "run the tests again"]
        {
            assert!(!is_small_talk(text), "{text}");
        }
    }
}
