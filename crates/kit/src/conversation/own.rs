//! An adapter that a person wrote as a file: the same data as a built-in one, checked.

use super::agent::{Agent, Reads, Store};
use super::fields::{Fields, Kinds};
use super::pattern::is_pattern;
use crate::{Descriptor, Encoding, Evidence, HomeRule, Shape};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The longest id.
const LONGEST_NAME: usize = 40;

/// The file, as a person writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    label: String,
    homes: Vec<FileHome>,
    history: Vec<String>,
    shape: FileShape,
    #[serde(default)]
    items: String,
    fields: BTreeMap<String, String>,
    kinds: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileHome {
    /// A variable that names the home itself.
    #[serde(default)]
    env: Option<String>,
    /// Where it is otherwise, below the user's home.
    below: String,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum FileShape {
    Lines,
    Document,
}

/// Reads an adapter from the text of its file. It lives as long as the program. `is_taken` says whether
/// an id belongs to a built-in agent.
///
/// # Errors
/// Everything that is wrong with it, for people.
pub fn own_agent(
    text: &str,
    is_taken: impl Fn(&str) -> bool,
) -> Result<&'static Agent, Vec<String>> {
    let file: File = toml::from_str(text).map_err(|error| vec![error.to_string()])?;
    let mut faults = Faults::default();
    faults.unless(!is_taken(&file.id), || format!("id `{}` is that of a built-in agent", file.id));
    file.check(&mut faults);
    let fields = file.fields(&mut faults);
    if faults.0.is_empty() { Ok(file.agent(fields)) } else { Err(faults.0) }
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn unless(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.0.push(fault());
        }
    }
}

impl File {
    fn check(&self, faults: &mut Faults) {
        let is_name = |it: &str| {
            let is_letter =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !it.is_empty() && it.len() <= LONGEST_NAME && it.bytes().all(is_letter)
        };
        faults.unless(is_name(&self.id), || {
            format!("id `{}` must be lower-case letters, digits and dashes", self.id)
        });
        faults.unless(!self.label.trim().is_empty(), || "label is empty".to_owned());
        faults.unless(!self.homes.is_empty(), || "homes is empty".to_owned());
        faults.unless(!self.history.is_empty(), || "history is empty".to_owned());
        for home in &self.homes {
            faults.unless(is_pattern(&home.below), || {
                format!("home `{}` must be a path below your home", home.below)
            });
        }
        for path in &self.history {
            faults.unless(is_pattern(path) && !root_of(path).is_empty(), || {
                format!("history `{path}` must be a path below the agent's home that begins with a folder's name")
            });
        }
        faults.unless(self.items.is_empty() || self.items.starts_with('/'), || {
            format!("items `{}` is not a JSON pointer: it must begin with /", self.items)
        });
    }

    fn fields(&self, faults: &mut Faults) -> Fields {
        let mut fields = Fields { kinds: self.kinds(faults), ..Fields::NONE };
        for (name, pointer) in &self.fields {
            faults.unless(pointer.starts_with('/'), || {
                format!("field {name} `{pointer}` is not a JSON pointer: it must begin with /")
            });
            match field(&mut fields, name) {
                Some(place) => *place = Cow::Owned(pointer.clone()),
                None => faults.0.push(format!("field {name} is not known")),
            }
        }
        faults.unless(!fields.kind.is_empty(), || "fields has no `kind`".to_owned());
        fields
    }

    fn kinds(&self, faults: &mut Faults) -> Kinds {
        let mut kinds = Kinds::default();
        for (name, words) in &self.kinds {
            let owned = words.iter().cloned().map(Cow::Owned).collect();
            match kind(&mut kinds, name) {
                Some(place) => *place = Cow::Owned(owned),
                None => faults.0.push(format!("kind {name} is not known")),
            }
        }
        kinds
    }

    fn agent(self, fields: Fields) -> &'static Agent {
        let fields: &'static Fields = Box::leak(Box::new(fields));
        let text = |it: &String| -> &'static str { Box::leak(it.clone().into_boxed_str()) };
        let shape = match self.shape {
            FileShape::Lines => Shape::Lines(Encoding::Plain),
            FileShape::Document => Shape::Document,
        };
        let items = text(&self.items);
        let time = (!fields.time.is_empty()).then_some(fields.time.as_ref());
        let store = |path: &String| Store {
            items,
            time,
            ..Store::of(text(path), shape, Reads::Fields(fields))
        };
        let stores: Vec<_> = self.history.iter().map(store).collect();
        let roots: Vec<_> = self.history.iter().map(|it| text(&root_of(it))).collect();
        let homes: Vec<&'static [HomeRule]> =
            self.homes.iter().map(|home| rules(home, text)).collect();
        let id = text(&self.id);
        let short = id.get(..id.len().min(8)).unwrap_or(id);
        let descriptor = Box::leak(Box::new(Descriptor {
            id,
            label: text(&self.label),
            short,
            scheme: id,
            homes: homes.leak(),
            roots: roots.leak(),
            rewrites_records: matches!(self.shape, FileShape::Document),
            evidence: Evidence::Documented,
            ..Descriptor::NOTHING
        }));
        Box::leak(Box::new(Agent::new(descriptor, stores.leak())))
    }
}

fn rules(home: &FileHome, text: impl Fn(&String) -> &'static str) -> &'static [HomeRule] {
    let env = home.env.as_ref().map(|it| HomeRule::env(text(it), ""));
    let all: Vec<_> = env.into_iter().chain([HomeRule::user(text(&home.below))]).collect();
    all.leak()
}

/// The folders of a pattern before its first placeholder.
fn root_of(pattern: &str) -> String {
    let folders = pattern.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_literal = |part: &&str| !part.contains(['*', '{']);
    folders.split('/').take_while(is_literal).collect::<Vec<_>>().join("/")
}

fn field<'f>(fields: &'f mut Fields, name: &str) -> Option<&'f mut Cow<'static, str>> {
    Some(match name {
        "session" => &mut fields.session,
        "id" => &mut fields.id,
        "time" => &mut fields.time,
        "cwd" => &mut fields.cwd,
        "model" => &mut fields.model,
        "title" => &mut fields.title,
        "version" => &mut fields.version,
        "kind" => &mut fields.kind,
        "text" => &mut fields.text,
        "call_id" => &mut fields.call_id,
        "call_name" => &mut fields.call_name,
        "call_input" => &mut fields.call_input,
        "failed" => &mut fields.failed,
        "input_tokens" => &mut fields.input_tokens,
        "output_tokens" => &mut fields.output_tokens,
        "cache_read_tokens" => &mut fields.cache_read_tokens,
        "cache_write_tokens" => &mut fields.cache_write_tokens,
        _ => return None,
    })
}

fn kind<'k>(kinds: &'k mut Kinds, name: &str) -> Option<&'k mut Cow<'static, [Cow<'static, str>]>> {
    Some(match name {
        "prompt" => &mut kinds.prompt,
        "answer" => &mut kinds.answer,
        "thought" => &mut kinds.thought,
        "call" => &mut kinds.call,
        "result" => &mut kinds.result,
        "notice" => &mut kinds.notice,
        "failed" => &mut kinds.failed,
        "end" => &mut kinds.end,
        "ignore" => &mut kinds.ignore,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Adapter;

    const TOY: &str = r#"
id = "toy"
label = "Toy"
homes = [{ env = "TOY_HOME", below = ".toy" }]
history = ["chats/*.jsonl"]
shape = "lines"
fields = { session = "/chat", kind = "/what", text = "/say" }
kinds = { prompt = ["human"], ignore = ["ping"] }
"#;

    #[test]
    fn a_file_is_an_agent() {
        let agent = own_agent(TOY, |_| false).unwrap();
        let it = agent.descriptor();
        assert_eq!((it.id, it.roots, it.homes[0].len()), ("toy", ["chats"].as_slice(), 2));
        assert!(agent.place("chats/a.jsonl").is_some() && agent.place("a.jsonl").is_none());
    }

    #[test]
    fn what_is_wrong_is_refused_with_a_reason() {
        for (from, to, reason) in [
            ("id = \"toy\"", "id = \"Toy one\"", "lower-case"),
            ("id = \"toy\"", "id = \"parrot\"", "built-in"),
            ("\"/say\"", "\"say\"", "not a JSON pointer"),
            ("below = \".toy\"", "below = \"../..\"", "below your home"),
            ("below = \".toy\"", "below = \"/etc\"", "below your home"),
            ("chats/*.jsonl", "../*.jsonl", "below the agent's home"),
            ("chats/*.jsonl", "*.jsonl", "begins with a folder"),
            ("text = \"/say\"", "words = \"/say\"", "field words is not known"),
            ("ignore =", "skip =", "kind skip is not known"),
            ("shape = \"lines\"", "shape = \"rows\"", "rows"),
            ("shape = \"lines\"", "shape = \"lines\"\nrun = \"touch x\"", "run"),
            ("kind = \"/what\", ", "", "no `kind`"),
            ("id = \"toy\"", "id =", "expected"),
        ] {
            let faults =
                own_agent(&TOY.replace(from, to), |id| id == "parrot").unwrap_err().join("; ");
            assert!(faults.contains(reason), "{to}: {faults}");
        }
    }
}
