//! Hooks in JSON, with or without comments: what stands there, and where ours would go.

use super::call::{Call, Ours};
use super::edit::{Insertion, line_end};
use super::{Made, Unfit};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use taffrail_adapters::HookCall;

/// The key under which agents keep their hooks, and groups their commands.
pub(super) const HOOKS: &str = "hooks";
/// A step to the right where a file shows none of its own.
const STEP: &str = "  ";

/// A parsed file.
pub(super) struct Json<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<TokenAndRange<'a>>,
    pub(super) root: Option<Object<'a>>,
}

impl<'a> Json<'a> {
    /// Parses a file that is an object, or nothing yet.
    pub(super) fn parse(text: &'a str) -> Result<Self, Unfit> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &strict())
            .map_err(|error| Unfit::Unreadable(error.to_string()))?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(root)) => Some(root),
            Some(_) => return Err(Unfit::shape("the whole file", "an object")),
        };
        Ok(Self { text, tokens: parsed.tokens.unwrap_or_default(), root })
    }

    /// The hooks an agent would see.
    fn hooks(&self) -> Result<Option<&Object<'a>>, Unfit> {
        let Some(property) = self.root.as_ref().and_then(|root| last(root, HOOKS)) else {
            return Ok(None);
        };
        let hooks = property.value.as_object().ok_or_else(|| Unfit::shape("`hooks`", "an object"));
        hooks.map(Some)
    }

    /// Someone keeps hooks here.
    pub(super) fn holds_hooks(&self) -> bool {
        let hooks = self.root.as_ref().and_then(|root| last(root, HOOKS));
        let hooks = hooks.and_then(|it| it.value.as_object());
        hooks.is_some_and(|it| !it.properties.is_empty())
    }

    /// Our calls, by event.
    pub(super) fn calls(&self, ours: Ours<'_>) -> Vec<(String, Call)> {
        let roots = self.root.iter().flat_map(|root| all(root, HOOKS));
        let events = roots.filter_map(|it| it.value.as_object()).flat_map(|it| &it.properties);
        let calls = events.flat_map(|event| {
            let groups = event.value.as_array().into_iter().flat_map(|it| &it.elements);
            let commands = groups.filter_map(Value::as_object).flat_map(commands);
            let calls = commands.filter_map(move |it| call(it, ours));
            calls.map(|it| (event.name.as_str().to_owned(), it))
        });
        calls.collect()
    }

    /// What to put in so that every event calls us, and what of it was not there before.
    pub(super) fn install(&self, calls: &[(&str, Call)]) -> Result<(Vec<Insertion>, Made), Unfit> {
        let mut made = Made::default();
        let lines: Vec<_> = calls.iter().map(|(event, call)| (*event, group(call))).collect();
        let property = |(event, group): &(&str, String)| format!("\"{event}\": [{group}]");
        let Some(root) = &self.root else {
            (made.root, made.hooks) = (true, true);
            let body = self.new_hooks("", &lines.iter().map(property).collect::<Vec<_>>());
            return Ok((vec![self.new_root(&body)], made));
        };
        let Some(hooks) = self.hooks()? else {
            made.hooks = true;
            let indent = self.indent_in(root.range, &spans(&root.properties));
            let body = self.new_hooks(&indent, &lines.iter().map(property).collect::<Vec<_>>());
            return Ok((self.append(root.range, &spans(&root.properties), &[body]), made));
        };
        let (mut out, mut new) = (Vec::new(), Vec::new());
        for line in &lines {
            let Some(event) = last(hooks, line.0) else {
                made.events.push(line.0.to_owned());
                new.push(property(line));
                continue;
            };
            let what = || Unfit::shape(&format!("`hooks.{}`", line.0), "an array");
            let groups = event.value.as_array().ok_or_else(what)?;
            out.extend(self.append(groups.range, &elements(groups), std::slice::from_ref(&line.1)));
        }
        if !new.is_empty() {
            out.extend(self.append(hooks.range, &spans(&hooks.properties), &new));
        }
        out.sort_by_key(|it| it.at);
        Ok((out, made))
    }

    fn new_hooks(&self, indent: &str, properties: &[String]) -> String {
        let (end, step) = (line_end(self.text), self.step());
        let indent = if self.root.is_none() { step } else { indent };
        let inner = properties.iter().map(|it| format!("{end}{indent}{step}{it}"));
        format!("\"{HOOKS}\": {{{}{end}{indent}}}", inner.collect::<Vec<_>>().join(","))
    }

    fn new_root(&self, body: &str) -> Insertion {
        let end = line_end(self.text);
        let is_open = !self.text.is_empty() && !self.text.ends_with('\n');
        let before = if is_open { end } else { "" };
        let text = format!("{before}{{{end}{}{body}{end}}}{end}", self.step());
        Insertion { at: self.text.len(), text }
    }

    /// Puts items behind the last one of an object or array.
    fn append(&self, whole: Range, children: &[Range], items: &[String]) -> Vec<Insertion> {
        let end = line_end(self.text);
        let inside = self.between(whole.start + 1, whole.end.saturating_sub(1));
        let is_inline = !has_break(inside) && self.text.as_bytes().get(whole.start) == Some(&b'[');
        let gap = if is_inline {
            String::new()
        } else {
            format!("{end}{}", self.indent_in(whole, children))
        };
        let Some(last) = children.last() else {
            let after = if is_inline || has_break(inside) {
                String::new()
            } else {
                format!("{end}{}", self.margin(whole.start))
            };
            let text = format!("{gap}{}{after}", items.join(&format!(",{gap}")));
            return vec![Insertion { at: whole.start + 1, text }];
        };
        let gap = if is_inline { " ".to_owned() } else { gap };
        let comma = self.comma(last.end, whole.end);
        let at = self.after_remarks(comma.map_or(last.end, |it| it.end), whole.end);
        let items = items.join(&format!(",{gap}"));
        match comma {
            Some(_) => vec![Insertion { at, text: format!("{gap}{items},") }],
            None if at == last.end => vec![Insertion { at, text: format!(",{gap}{items}") }],
            None => vec![
                Insertion { at: last.end, text: ",".to_owned() },
                Insertion { at, text: format!("{gap}{items}") },
            ],
        }
    }

    /// Behind the comments that stand on the same line.
    fn after_remarks(&self, from: usize, until: usize) -> usize {
        let remarks = self.tokens.iter().filter(|it| is_comment(it));
        let remarks = remarks.filter(|it| it.range.start >= from && it.range.end <= until);
        let mut at = from;
        for remark in remarks {
            if has_break(self.between(at, remark.range.end)) {
                break;
            }
            at = remark.range.end;
        }
        at
    }

    /// The comma between two places.
    pub(super) fn comma(&self, from: usize, until: usize) -> Option<Range> {
        let here = |it: &&TokenAndRange<'_>| it.range.start >= from && it.range.end <= until;
        self.tokens
            .iter()
            .filter(here)
            .find(|it| matches!(it.token, Token::Comma))
            .map(|it| it.range)
    }

    /// How far in the children of an object or array stand, or would.
    fn indent_in(&self, whole: Range, children: &[Range]) -> String {
        let own = children.last().and_then(|it| self.alone(it.start));
        own.map_or_else(|| format!("{}{}", self.margin(whole.start), self.step()), str::to_owned)
    }

    /// One step to the right, as the file itself takes it.
    fn step(&self) -> &str {
        let first = self.root.as_ref().and_then(|root| root.properties.first());
        first.and_then(|it| self.alone(it.range.start)).filter(|it| !it.is_empty()).unwrap_or(STEP)
    }

    /// The space before something that begins its line.
    fn alone(&self, at: usize) -> Option<&str> {
        let line = self.line_before(at);
        (line.len() < at && line.trim().is_empty()).then_some(line)
    }

    /// The space at the beginning of the line a place is on.
    fn margin(&self, at: usize) -> &str {
        let line = self.line_before(at);
        let inner = line.trim_start();
        line.get(..line.len() - inner.len()).unwrap_or_default()
    }

    fn line_before(&self, at: usize) -> &str {
        let before = self.between(0, at);
        before.rsplit(['\n', '\r']).next().unwrap_or_default()
    }

    pub(super) fn between(&self, from: usize, until: usize) -> &str {
        self.text.get(from..until).unwrap_or_default()
    }
}

/// What agents themselves read: comments and commas too many, but nothing looser.
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

/// A group of one command, on one line.
pub(super) fn group(call: &Call) -> String {
    let string = |it: &str| serde_json::Value::from(it).to_string();
    let arguments = match call.form {
        HookCall::Arguments => {
            let [word, agent] = call.arguments().map(string);
            format!(", \"args\": [{word}, {agent}]")
        }
        HookCall::ShellLine => String::new(),
    };
    let seconds = call.seconds.map_or_else(String::new, |it| format!(", \"timeout\": {it}"));
    let command = string(&call.command());
    format!(
        "{{ \"{HOOKS}\": [{{ \"type\": \"command\", \"command\": {command}{arguments}{seconds} }}] }}"
    )
}

/// The commands of a group.
fn commands<'a, 'b>(group: &'b Object<'a>) -> impl Iterator<Item = &'b Object<'a>> {
    let lists = all(group, HOOKS).filter_map(|it| it.value.as_array());
    lists.flat_map(|it| &it.elements).filter_map(Value::as_object)
}

/// The call a command makes, if it is ours.
pub(super) fn call(command: &Object<'_>, ours: Ours<'_>) -> Option<Call> {
    let words = |list: &Array<'_>| {
        let word = |it: &Value<'_>| Some(it.as_string_lit()?.value.clone().into_owned());
        list.elements.iter().map(word).collect::<Option<Vec<_>>>()
    };
    let arguments = match last(command, "args") {
        Some(property) => Some(words(property.value.as_array()?)?),
        None => None,
    };
    let seconds = last(command, "timeout").and_then(|it| it.value.as_number_lit());
    let seconds = seconds.and_then(|it| it.value.parse().ok());
    let program = &last(command, "command")?.value.as_string_lit()?.value;
    ours.recognised(program, arguments.as_deref(), seconds)
}

/// Every property of this name.
pub(super) fn all<'a, 'b>(
    object: &'b Object<'a>,
    name: &str,
) -> impl Iterator<Item = &'b ObjectProp<'a>> {
    object.properties.iter().filter(move |it| it.name.as_str() == name)
}

/// The property of this name; of several the last counts, as for every reader of JSON.
fn last<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().rev().find(|it| it.name.as_str() == name)
}

pub(super) fn spans(properties: &[ObjectProp<'_>]) -> Vec<Range> {
    properties.iter().map(|it| it.range).collect()
}

pub(super) fn elements(array: &Array<'_>) -> Vec<Range> {
    array.elements.iter().map(Ranged::range).collect()
}

pub(super) fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn has_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
