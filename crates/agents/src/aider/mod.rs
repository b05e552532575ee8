//! Aider: a Markdown file in the project, which holds all its chats.

use taffrail_kit::json::inclusive;
use taffrail_kit::{Agent, Descriptor, Evidence, Reads, Shape, Speaker, Store, records};

/// The adapter for Aider.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, &[HISTORY]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "aider",
    label: "Aider",
    short: "aider",
    scheme: "aider-history",
    homes: &[],
    roots: &[".aider.chat.history.md"],
    in_projects: true,
    rewrites_records: true,
    processes: &["aider"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

const HISTORY: Store = Store::of(".aider.chat.history.md", Shape::Text, Reads::Text(read));

/// How a chat begins, followed by its local time.
const BEGINS: &str = "# aider chat started at ";

/// Lines of one sort that follow each other.
struct Block<'t> {
    sort: Sort,
    lines: Vec<&'t str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Prompt,
    Output,
    Text,
}

impl Block<'_> {
    fn text(&self) -> String {
        self.lines.join("\n").trim().to_owned()
    }

    /// The line that ends each answer of the model.
    fn tokens(&self) -> Option<&str> {
        self.lines.iter().copied().find(|it| it.starts_with("Tokens: "))
    }
}

fn read(history: &str, speaker: &mut Speaker<'_, '_>) {
    let mut rest = history;
    while let Some((_, chat)) = rest.split_once(BEGINS) {
        let end = chat.find(&format!("\n{BEGINS}")).unwrap_or(chat.len());
        let (chat, next) = chat.split_at_checked(end).unwrap_or((chat, ""));
        rest = next;
        let (time, chat) = chat.split_once('\n').unwrap_or((chat, ""));
        speaker.session(&time.trim().replace([' ', ':'], "-"));
        speaker.at(records::time(&format!("{}Z", time.trim().replace(' ', "T"))));
        read_chat(&blocks(chat), next.is_empty(), speaker);
    }
}

fn blocks(chat: &str) -> Vec<Block<'_>> {
    let mut out: Vec<Block<'_>> = Vec::new();
    for line in chat.lines() {
        let (sort, line) = match (line.strip_prefix("#### "), line.strip_prefix("> ")) {
            (Some(line), _) => (Sort::Prompt, line.trim_end()),
            (_, Some(line)) => (Sort::Output, line.trim_end()),
            _ => (Sort::Text, line),
        };
        match out.last_mut() {
            Some(block) if block.sort == sort => block.lines.push(line),
            // An empty line between two sorts belongs to neither.
            _ if line.is_empty() => {}
            _ => out.push(Block { sort, lines: vec![line] }),
        }
    }
    out
}

fn read_chat(blocks: &[Block<'_>], is_last: bool, speaker: &mut Speaker<'_, '_>) {
    let header = blocks.first().filter(|it| it.sort == Sort::Output);
    let setting = |name: &str| header?.lines.iter().find_map(|it| it.strip_prefix(name));
    let model = setting("Model: ").or_else(|| setting("Main model: "));
    speaker.model(model.and_then(|it| it.split(" with ").next()));
    // One file holds many chats, and its records are told apart by their ids.
    let chat = speaker.session_id();
    speaker.id(&format!("{chat}/chat"));
    speaker.started(setting("Aider v"), None);
    let asked = blocks.iter().rposition(|it| it.sort == Sort::Prompt);
    for (index, block) in blocks.iter().enumerate().skip(usize::from(header.is_some())) {
        if is_last && Some(index) > asked {
            speaker.at(speaker.written());
        }
        speaker.id(&format!("{chat}/{index}"));
        let before = index.checked_sub(1).and_then(|it| blocks.get(it));
        match block.sort {
            Sort::Prompt => speaker.prompt(&block.text()),
            Sort::Output => output(block, index, speaker),
            Sort::Text if is_answer(before, blocks.get(index + 1)) => {
                speaker.last_answer(&block.text());
            }
            // The rest of a message that a commit has.
            Sort::Text => {}
        }
    }
}

fn is_answer(before: Option<&Block<'_>>, next: Option<&Block<'_>>) -> bool {
    before.is_some_and(|it| it.sort == Sort::Prompt) || next.is_some_and(|it| it.tokens().is_some())
}

fn output(block: &Block<'_>, index: usize, speaker: &mut Speaker<'_, '_>) {
    let others = block.lines.iter().filter(|it| !it.starts_with("Tokens: "));
    let said = others.copied().collect::<Vec<_>>().join("\n");
    if !said.is_empty() {
        speaker.notice("aider", Some(&said));
    }
    let Some(tokens) = block.tokens() else { return };
    let count = |name: &str| {
        let before =
            tokens.strip_prefix("Tokens: ")?.split(name).next().filter(|it| *it != tokens)?;
        number(before.trim().rsplit([' ', ',']).next()?)
    };
    let count = |name: &str| if tokens.contains(name) { count(name).unwrap_or(0) } else { 0 };
    let cached = (count(" cache hit"), count(" cache write"));
    let tokens_spent = inclusive(count(" sent"), count(" received"), cached.0, cached.1);
    let cost = tokens.split_once("Cost: $").and_then(|(_, it)| it.split(' ').next()?.parse().ok());
    let cost = cost.map(|it: f64| (it * 1_000_000.0).round() as i64);
    speaker.spent(&format!("block/{index}"), tokens_spent, cost);
}

/// A count as Aider writes it: `766`, `1.2k`, `12k`, `1.1M`.
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match (text.strip_suffix('k'), text.strip_suffix('M')) {
        (Some(digits), _) => (digits, 1e3),
        (_, Some(digits)) => (digits, 1e6),
        _ => (text, 1.0),
    };
    let number = digits.parse::<f64>().ok()? * factor;
    // Out of range becomes the nearest number.
    Some(number.round() as u64)
}
