//! What counts as a prompt: a request by a person or a parent agent, or by the program in the
//! person's place once a limit has reset.
//!
//! The program writes much else under the user's name: its own notes to the model, summaries,
//! echoes of commands, notifications of background tasks, and context from an editor.

use super::record::{Block, Content, Line};
use std::borrow::Cow;

/// The prefix of a record about an interruption by the user.
const INTERRUPT: &str = "[Request interrupted by user";
/// The prefix of a notification about a background task.
const TASK_NOTIFICATION: &str = "<task-notification>";
/// The label of such a notification.
pub(super) const NEWS: &str = "task_notification";
/// The program's name for the origin of such a notification.
const TASK_NOTIFICATION_ORIGIN: &str = "task-notification";
/// The program's name for the origin of the prompt with which it goes on after a limit has reset.
const AUTO_CONTINUATION: &str = "auto-continuation";
/// Prefixes of the echo of a command or of its output.
const COMMAND_ECHOES: &[&str] = &[
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
];
/// Context that the program puts before a person's text.
const CONTEXT_TAGS: &[&str] =
    &["ide_opened_file", "ide_selection", "ide_diagnostics", "system-reminder"];

/// The meaning of a text under the user's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A prompt.
    Prompt,
    /// The user interrupted the agent.
    Interrupt,
    /// A notice with this label.
    Notice(&'static str),
    /// Nothing for people.
    Nothing,
}

/// What the record shows about a text, apart from the text itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Circumstances<'r> {
    is_meta: bool,
    is_summary: bool,
    source: Option<&'r str>,
    origin: Option<&'r str>,
}

impl<'r> Circumstances<'r> {
    /// The circumstances of a user record.
    pub(super) fn of_user(line: &'r Line<'r>) -> Self {
        let is_summary = [line.is_compact_summary, line.is_visible_in_transcript_only];
        Self {
            is_meta: line.is_meta == Some(true),
            is_summary: is_summary.contains(&Some(true)),
            source: line.prompt_source.as_deref(),
            origin: line.origin.as_ref().and_then(|origin| origin.kind.as_deref()),
        }
    }

    /// The circumstances of a text that was queued while the agent worked.
    pub(super) fn of_queued(is_meta: bool, mode: Option<&'r str>, origin: Option<&'r str>) -> Self {
        Self {
            is_meta: is_meta || !matches!(mode, None | Some("prompt" | TASK_NOTIFICATION_ORIGIN)),
            origin: mode.filter(|mode| *mode != "prompt").or(origin),
            ..Self::default()
        }
    }

    /// The meaning of a text under these circumstances.
    pub(super) fn meaning_of(&self, text: &str) -> Meaning {
        if self.origin == Some(AUTO_CONTINUATION) {
            Meaning::Prompt
        } else if self.is_meta {
            Meaning::Nothing
        } else if self.is_summary {
            Meaning::Notice("compact_summary")
        } else if is_interrupt(text) {
            Meaning::Interrupt
        } else if self.is_task_notification(text) {
            Meaning::Notice(NEWS)
        } else if COMMAND_ECHOES.iter().any(|echo| text.starts_with(echo)) {
            Meaning::Notice("command")
        } else {
            Meaning::Prompt
        }
    }

    fn is_task_notification(&self, text: &str) -> bool {
        self.origin == Some(TASK_NOTIFICATION_ORIGIN)
            || self.source == Some("system")
            || text.starts_with(TASK_NOTIFICATION)
    }
}

/// Whether the text reports an interruption by the user.
pub(super) fn is_interrupt(text: &str) -> bool {
    text.starts_with(INTERRUPT)
}

/// The text without the context before it, and the number of its first block; `None` if nothing is
/// left.
pub(super) fn words_of<'r>(content: &'r Content<'r>) -> Option<(u32, Cow<'r, str>)> {
    match content {
        Content::Text(text) => words(text).map(|text| (0, Cow::Borrowed(text))),
        Content::Blocks(blocks) => words_of_blocks(blocks),
    }
}

fn words_of_blocks<'r>(blocks: &'r [Block<'r>]) -> Option<(u32, Cow<'r, str>)> {
    let part = first_of(blocks, "text");
    let mut texts = blocks.iter().filter_map(|block| words(text_of(block)?));
    let Some(first) = texts.next() else {
        return picture_of(blocks).map(|(at, label)| (part.unwrap_or(at), Cow::Borrowed(label)));
    };
    let joined = texts.fold(Cow::Borrowed(first), |mut all, text| {
        all.to_mut().push('\n');
        all.to_mut().push_str(text);
        all
    });
    Some((part.unwrap_or_default(), joined))
}

fn text_of<'r>(block: &'r Block<'r>) -> Option<&'r str> {
    let is_text = block.kind.as_deref() == Some("text");
    block.text.as_deref().filter(|_| is_text)
}

fn picture_of(blocks: &[Block<'_>]) -> Option<(u32, &'static str)> {
    let image = first_of(blocks, "image").map(|at| (at, "[image]"));
    image.or_else(|| first_of(blocks, "document").map(|at| (at, "[document]")))
}

fn first_of(blocks: &[Block<'_>], kind: &str) -> Option<u32> {
    let mut numbered = (0..).zip(blocks);
    numbered.find(|(_, block)| block.kind.as_deref() == Some(kind)).map(|(at, _)| at)
}

/// A text without the context before it, if anything is left.
fn words(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(after) = after_context(rest) {
        rest = after;
    }
    (!rest.trim().is_empty()).then_some(rest)
}

fn after_context(text: &str) -> Option<&str> {
    let inner = text.trim_start().strip_prefix('<')?;
    let tag = CONTEXT_TAGS.iter().find(|tag| inner.starts_with(**tag))?;
    let (_, after) = inner.split_once(&format!("</{tag}>"))?;
    Some(after.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::lenient;

    const PROMPT: Meaning = Meaning::Prompt;
    const NOTHING: Meaning = Meaning::Nothing;
    const COMMAND: Meaning = Meaning::Notice("command");
    const NEWS: Meaning = Meaning::Notice(super::NEWS);
    const SUMMARY: Meaning = Meaning::Notice("compact_summary");

    /// Checks the meaning of a user record with these fields.
    fn check(fields: &str, expected: Option<(u32, &str, Meaning)>) {
        let line = format!(r#"{{"type":"user",{fields}}}"#);
        let line: Line<'_> = lenient::value_in(&line).unwrap();
        let content = line.message.as_ref().and_then(|m| m.content.as_ref());
        let said = content.and_then(words_of);
        let meaning = |text: &str| Circumstances::of_user(&line).meaning_of(text);
        let said = said.as_ref().map(|(part, text)| (*part, &**text, meaning(text)));
        assert_eq!(said, expected, "{fields}");
    }

    /// Checks a record whose whole content is one string.
    fn check_text(text: &str, expected: Option<(&str, Meaning)>) {
        let fields = format!(r#""message":{{"content":{}}}"#, serde_json::json!(text));
        check(&fields, expected.map(|(text, meaning)| (0, text, meaning)));
    }

    #[test]
    fn by_text() {
        check_text("fix it", Some(("fix it", PROMPT)));
        check_text("  indented\n", Some(("  indented\n", PROMPT)));
        check_text("<div> is a tag", Some(("<div> is a tag", PROMPT)));
        check_text("why [Request interrupted by user]?", {
            Some(("why [Request interrupted by user]?", PROMPT))
        });
        check_text("", None);
        check_text(" \n", None);
        for interrupt in
            ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]
        {
            check_text(interrupt, Some((interrupt, Meaning::Interrupt)));
        }
        for echo in COMMAND_ECHOES {
            check_text(echo, Some((echo, COMMAND)));
        }
        let news = "<task-notification>\n<task-id>a1</task-id>";
        check_text(news, Some((news, NEWS)));
    }

    #[test]
    fn context_in_front_is_no_prompt() {
        let file = "<ide_opened_file>The user opened a.rs.</ide_opened_file>";
        check_text(file, None);
        check_text(&format!("{file}\nfix it"), Some(("fix it", PROMPT)));
        check_text(
            &format!("<system-reminder>\nbe kind\n</system-reminder>\n\n{file} fix it"),
            Some(("fix it", PROMPT)),
        );
        check_text("<ide_selection>never closed", Some(("<ide_selection>never closed", PROMPT)));
        check_text(
            "fix <system-reminder>x</system-reminder>",
            Some(("fix <system-reminder>x</system-reminder>", PROMPT)),
        );
    }

    #[test]
    fn by_circumstances() {
        let message = r#""message":{"content":"words"}"#;
        let with = |more: &str, expected| {
            check(&format!("{message},{more}"), Some((0, "words", expected)));
        };
        with(r#""isMeta":true"#, NOTHING);
        with(r#""isMeta":false"#, PROMPT);
        with(r#""isCompactSummary":true"#, SUMMARY);
        with(r#""isVisibleInTranscriptOnly":true"#, SUMMARY);
        with(r#""origin":{"kind":"task-notification"}"#, NEWS);
        with(r#""origin":{"kind":"human"},"promptSource":"typed""#, PROMPT);
        with(r#""promptSource":"system""#, NEWS);
        with(r#""promptSource":"sdk""#, PROMPT);
        with(r#""isMeta":"yes","origin":7"#, PROMPT);
    }

    #[test]
    fn a_session_that_the_agent_continued_after_a_reset_is_not_as_it_was_left() {
        let fields = r#""isMeta":true,"promptSource":"system","turnOrigin":"auto_continuation","#;
        let origin = r#""origin":{"kind":"auto-continuation"},"message":{"content":"go on"}"#;
        check(&format!("{fields}{origin}"), Some((0, "go on", PROMPT)));
    }

    #[test]
    fn blocks_are_one_prompt() {
        let blocks = |blocks: &str, expected| {
            check(&format!(r#""message":{{"content":[{blocks}]}}"#), expected);
        };
        let a = r#"{"type":"text","text":"a"}"#;
        let image = r#"{"type":"image","source":{"data":"AAAA"}}"#;
        let document = r#"{"type":"document","source":{"data":"AAAA"}}"#;
        let context = r#"{"type":"text","text":"<ide_selection>x</ide_selection>"}"#;
        blocks(a, Some((0, "a", PROMPT)));
        blocks(&format!("{a},{image},{a}"), Some((0, "a\na", PROMPT)));
        blocks(&format!("{image},{a}"), Some((1, "a", PROMPT)));
        blocks(&format!("{context},{a}"), Some((0, "a", PROMPT)));
        blocks(image, Some((0, "[image]", PROMPT)));
        blocks(document, Some((0, "[document]", PROMPT)));
        blocks(context, None);
        blocks("7,null", None);
        blocks("", None);
    }

    #[test]
    fn queued_texts() {
        let queued = |mode, origin| Circumstances::of_queued(false, mode, origin).meaning_of("x");
        assert_eq!(queued(None, None), PROMPT);
        assert_eq!(queued(Some("prompt"), Some("human")), PROMPT);
        assert_eq!(queued(Some("prompt"), Some("task-notification")), NEWS);
        assert_eq!(queued(Some("task-notification"), None), NEWS);
        assert_eq!(queued(Some("bash"), None), NOTHING);
        let meta = Circumstances::of_queued(true, None, None);
        assert_eq!(meta.meaning_of("x"), NOTHING);
    }
}
