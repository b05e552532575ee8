//! Hooks in JSON, with or without comments: finds our calls, and where new ones go.
//!
//! The syntax tree parses a file and knows its style. Our own code inserts text, because the tree's
//! `append` removes blank lines and breaks one-line objects, and uninstalling must restore every
//! byte.

use crate::call::{Call, Ours};
use crate::edit::{Insertion, line_end};
use crate::json_tree::{all, end_of, last, last_remark, margin, own_indent, start_of};
use crate::{Made, Unfit};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstContainerNode, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use taffrail_adapters::HookCall;

/// The key of hooks in agents' settings, and of the commands in a group.
pub(crate) const HOOKS: &str = "hooks";
/// The default indentation, if the file shows none.
const STEP: &str = "  ";

/// A parsed file.
pub(crate) struct Json<'a> {
    pub(crate) text: &'a str,
    pub(crate) tree: CstRootNode,
}

impl<'a> Json<'a> {
    /// Parses a file that is an object, or empty.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Unfit> {
        let tree = CstRootNode::parse(text, &strict())
            .map_err(|error| Unfit::Unreadable(error.to_string()))?;
        if tree.value().is_some() && tree.object_value().is_none() {
            return Err(Unfit::shape("the whole file", "an object"));
        }
        Ok(Self { text, tree })
    }

    /// The boolean at a path of keys.
    pub(crate) fn switch(&self, keys: &[&str]) -> Option<bool> {
        let whole = self.tree.to_serde_value()?;
        keys.iter().try_fold(&whole, |value, key| value.get(key))?.as_bool()
    }

    /// Whether the file has hooks.
    pub(crate) fn holds_hooks(&self) -> bool {
        let hooks = self.tree.object_value().and_then(|root| last(&root, HOOKS)?.object_value());
        hooks.is_some_and(|it| !it.properties().is_empty())
    }

    /// Our calls, by event.
    pub(crate) fn calls(&self, ours: Ours<'_>) -> Vec<(String, Call)> {
        let root = self.tree.object_value();
        let hooks = root.iter().flat_map(|root| all(root, HOOKS));
        let events = hooks.filter_map(|it| it.object_value()).flat_map(|it| it.properties());
        let calls = events.flat_map(|event| {
            let name = event.decoded_name().unwrap_or_default();
            let groups = event.array_value().map(|it| it.elements()).unwrap_or_default();
            let commands =
                groups.iter().filter_map(CstNode::as_object).flat_map(|it| commands(&it));
            let calls: Vec<_> = commands.filter_map(|it| call(&it, ours)).collect();
            calls.into_iter().map(move |it| (name.clone(), it))
        });
        calls.collect()
    }

    /// The insertions that make every event call us, and the surroundings they create.
    pub(crate) fn install(&self, calls: &[(&str, Call)]) -> Result<(Vec<Insertion>, Made), Unfit> {
        let Some(root) = self.tree.object_value() else { return Ok(self.in_new_root(calls)) };
        let Some(hooks) = last(&root, HOOKS) else { return Ok(self.in_new_hooks(root, calls)) };
        let hooks = hooks.object_value().ok_or_else(|| Unfit::shape("`hooks`", "an object"))?;
        self.in_hooks(hooks, calls)
    }

    fn in_new_root(&self, calls: &[(&str, Call)]) -> (Vec<Insertion>, Made) {
        let (end, step) = (line_end(self.text), self.step());
        let is_open = !self.text.is_empty() && !self.text.ends_with('\n');
        let before = if is_open { end } else { "" };
        let text = format!("{before}{{{end}{step}{}{end}}}{end}", self.new_hooks(&step, calls));
        let made = Made { root: true, hooks: true, ..Made::default() };
        (vec![Insertion { at: self.text.len(), text }], made)
    }

    fn in_new_hooks(&self, root: CstObject, calls: &[(&str, Call)]) -> (Vec<Insertion>, Made) {
        let root = root.into();
        let hooks = self.new_hooks(&self.indent_in(&root), calls);
        (self.append(&root, &[hooks]), Made { hooks: true, ..Made::default() })
    }

    fn new_hooks(&self, indent: &str, calls: &[(&str, Call)]) -> String {
        let (end, step) = (line_end(self.text), self.step());
        let events = calls.iter().map(|it| format!("{end}{indent}{step}{}", property(it)));
        format!("\"{HOOKS}\": {{{}{end}{indent}}}", events.collect::<Vec<_>>().join(","))
    }

    fn in_hooks(
        &self,
        hooks: CstObject,
        calls: &[(&str, Call)],
    ) -> Result<(Vec<Insertion>, Made), Unfit> {
        let (mut out, mut new, mut made) = (Vec::new(), Vec::new(), Made::default());
        for line in calls {
            let Some(event) = last(&hooks, line.0) else {
                made.events.push(line.0.to_owned());
                new.push(property(line));
                continue;
            };
            let what = || Unfit::shape(&format!("`hooks.{}`", line.0), "an array");
            let groups = event.array_value().ok_or_else(what)?;
            out.extend(self.append(&groups.into(), &[group(&line.1)]));
        }
        if !new.is_empty() {
            out.extend(self.append(&hooks.into(), &new));
        }
        out.sort_by_key(|it| it.at);
        Ok((out, made))
    }

    /// Inserts items after the last one of an object or array.
    pub(crate) fn append(&self, list: &CstContainerNode, items: &[String]) -> Vec<Insertion> {
        let is_broken = list.to_string().contains(['\n', '\r']);
        let is_inline = list.is_array() && !is_broken;
        let line = format!("{}{}", line_end(self.text), self.indent_in(list));
        let gap = |inline: &str| if is_inline { inline.to_owned() } else { line.clone() };
        let Some(last) = list.children_exclude_trivia_and_tokens().pop() else {
            let after = format!("{}{}", line_end(self.text), margin(list));
            let after = if is_inline || is_broken { "" } else { &after };
            let text = format!("{}{}{after}", gap(""), items.join(&format!(",{}", gap(""))));
            return vec![Insertion { at: start_of(&list.clone().into()) + 1, text }];
        };
        let gap = gap(" ");
        behind(&last, &format!("{gap}{}", items.join(&format!(",{gap}"))))
    }

    /// The indentation of the children of an object or array, or of its first child.
    pub(crate) fn indent_in(&self, list: &CstContainerNode) -> String {
        let last = list.children_exclude_trivia_and_tokens().pop();
        let own = last.and_then(|it| own_indent(&it));
        own.unwrap_or_else(|| format!("{}{}", margin(list), self.step()))
    }

    /// One step of indentation, in the style of the file.
    pub(crate) fn step(&self) -> String {
        let own = self.tree.single_indent_text().filter(|it| !it.is_empty());
        own.unwrap_or_else(|| STEP.to_owned())
    }
}

/// Inserts text after the last item of a list and the comments on its line.
fn behind(last: &CstNode, text: &str) -> Vec<Insertion> {
    let comma = last.trailing_comma().map(CstNode::from);
    let from = comma.as_ref().unwrap_or(last);
    let remark = last_remark(from);
    let at = end_of(remark.as_ref().unwrap_or(from));
    match (comma, remark) {
        (Some(_), _) => vec![Insertion { at, text: format!("{text},") }],
        (None, None) => vec![Insertion { at, text: format!(",{text}") }],
        (None, Some(_)) => vec![
            Insertion { at: end_of(last), text: ",".to_owned() },
            Insertion { at, text: text.to_owned() },
        ],
    }
}

/// Accepts what agents accept: comments and trailing commas, but nothing looser.
fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// An event with one group.
fn property((event, call): &(&str, Call)) -> String {
    format!("\"{event}\": [{}]", group(call))
}

/// A group of one command, on one line.
fn group(call: &Call) -> String {
    let string = |it: &str| Value::from(it).to_string();
    let arguments = match call.form {
        HookCall::Arguments => {
            let [word, agent] = call.arguments().map(string);
            format!(", \"args\": [{word}, {agent}]")
        }
        HookCall::ShellLine => String::new(),
    };
    let timeout = call.timeout.map_or_else(String::new, |it| format!(", \"timeout\": {it}"));
    let command = string(&call.command());
    format!(
        "{{ \"{HOOKS}\": [{{ \"type\": \"command\", \"command\": {command}{arguments}{timeout} }}] }}"
    )
}

/// The commands of a group.
fn commands(group: &CstObject) -> Vec<CstObject> {
    let lists = all(group, HOOKS).into_iter().filter_map(|it| it.array_value());
    lists.flat_map(|it| it.elements()).filter_map(|it| it.as_object()).collect()
}

/// Parses a command as a call, if it is ours.
pub(crate) fn call(command: &CstObject, ours: Ours<'_>) -> Option<Call> {
    let command = command.to_serde_value()?;
    let arguments = match command.get("args") {
        Some(list) => {
            let words = list.as_array()?.iter().map(|it| it.as_str().map(str::to_owned));
            Some(words.collect::<Option<Vec<_>>>()?)
        }
        None => None,
    };
    let timeout = command.get("timeout").and_then(Value::as_u64);
    ours.recognised(command.get("command")?.as_str()?, arguments.as_deref(), timeout)
}
