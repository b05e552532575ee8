//! Lists the agents and their names, read from their own folders.

use super::files::Tree;
use super::tokens::{Kind, Token, tokens};
use std::collections::BTreeSet;

/// Where adapters live, and the start of the list in each place's `lib.rs`.
pub(super) const LISTS: [(&str, &str); 2] =
    [("crates/adapters/src", "adapters! {"), ("crates/agents/src", "agents! {")];

/// An adapter with this function does not belong to an agent: its name is an ordinary word.
const NO_AGENT: &str = "fn is_remote";

const FIELDS: [&str; 4] = ["id", "label", "short", "scheme"];

/// The folders in the lists of adapters.
pub(super) fn folders(tree: &Tree) -> Vec<String> {
    LISTS.iter().flat_map(|(place, list)| folders_of(tree, place, list)).collect()
}

fn folders_of(tree: &Tree, place: &str, list: &str) -> Vec<String> {
    let Some(lib) = tree.file(&format!("{place}/lib.rs")) else {
        return Vec::new();
    };
    let Some((_, after)) = lib.text.split_once(&format!("\n{list}")) else {
        return Vec::new();
    };
    let words = after.split('}').next().unwrap_or_default().split(',');
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| format!("{place}/{word}")).collect()
}

/// Every name of every agent, in lowercase.
pub(super) fn names(tree: &Tree) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for folder in folders(tree) {
        if let Some(file) = tree.file(&format!("{folder}/mod.rs")) {
            if file.text.contains(NO_AGENT) {
                continue;
            }
            out.extend(declared(&file.text).iter().map(|name| name.to_lowercase()));
        }
        out.extend(folder.rsplit('/').next().map(str::to_owned));
    }
    out
}

/// The names in the descriptor of a folder.
fn declared(text: &str) -> Vec<&str> {
    let tokens = tokens(text);
    let mut out = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is("Descriptor") && tokens.get(at + 1).is_some_and(|next| next.is("{")) {
            out.extend(fields(tokens.get(at + 2..).unwrap_or_default(), &tokens));
        }
    }
    out
}

/// The names among the fields of a struct, whose tokens start after its brace.
fn fields<'a>(body: &[Token<'a>], all: &[Token<'a>]) -> Vec<&'a str> {
    let (mut depth, mut out) = (1_usize, Vec::new());
    for window in body.windows(3) {
        let [name, colon, value] = window else { break };
        if depth == 1 && colon.is(":") && FIELDS.iter().any(|field| name.is(field)) {
            out.extend(value.unquoted().or_else(|| constant(value, all)));
        }
        if name.kind == Kind::Code {
            match name.text {
                "{" | "[" | "(" => depth += 1,
                "}" | "]" | ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 {
            break;
        }
    }
    out
}

/// The text of a constant, for a descriptor that uses one.
fn constant<'a>(name: &Token<'_>, all: &[Token<'a>]) -> Option<&'a str> {
    let at = all
        .windows(2)
        .position(|pair| matches!(pair, [word, next] if word.is("const") && next.is(name.text)))?;
    let rest = all.get(at..)?.iter().take_while(|token| !token.is(";"));
    rest.filter_map(Token::unquoted).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_descriptor_only() {
        let descriptor = r#"
            const ID: &'static str = "toy-agent";
            static IT: Descriptor = Descriptor {
                id: ID, label: "Toy Agent", scheme: "toy-jsonl",
                advice: &[Advice { id: "retention", text: "x" }], short: "Toy",
            };
            fn descriptor(&self) -> &'static Descriptor { &IT }
            fn other() { Thing { id: "not-me" } }"#;
        let tree = Tree::of(&[
            (
                "crates/adapters/src/lib.rs",
                "macro_rules! adapters {}\nadapters! { toy_agent, gone, }\n",
            ),
            ("crates/adapters/src/toy_agent/mod.rs", descriptor),
            ("crates/agents/src/lib.rs", "macro_rules! agents {}\nagents! { small }\n"),
        ]);
        let expected = [
            "crates/adapters/src/toy_agent",
            "crates/adapters/src/gone",
            "crates/agents/src/small",
        ];
        assert_eq!(folders(&tree), expected);
        let names: Vec<_> = names(&tree).into_iter().collect();
        let expected = ["gone", "small", "toy", "toy agent", "toy-agent", "toy-jsonl", "toy_agent"];
        assert_eq!(names, expected);
    }
}
