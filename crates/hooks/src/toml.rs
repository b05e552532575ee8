//! Hooks in TOML: finds our calls, where new ones go, and how to remove them.
//!
//! `toml_edit` parses the file. Our own code inserts and removes text, because `toml_edit`
//! normalizes line ends to LF and adds a final one, and uninstalling must restore every byte.

use crate::call::{Call, Ours};
use crate::edit::{Insertion, line_end, without};
use crate::json::HOOKS;
use crate::{Made, Unfit};
use std::ops::Range;
use taffrail_adapters::HookCall;
use toml_edit::{Array, Document, Item, TableLike, Value};

/// A parsed file.
pub(crate) struct Toml<'a> {
    text: &'a str,
    document: Document<&'a str>,
}

/// A group of commands, by its range in the text.
struct Group {
    range: Range<usize>,
    /// The call of each command, if it is ours.
    calls: Vec<Option<Call>>,
}

impl<'a> Toml<'a> {
    /// Parses a file.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Unfit> {
        let document = Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |it| it.start);
            let line = text.get(..at).unwrap_or_default().lines().count().max(1);
            Unfit::Unreadable(format!("{} on line {line}", error.message()))
        })?;
        Ok(Self { text, document })
    }

    /// The boolean at a path of keys.
    pub(crate) fn switch(&self, keys: &[&str]) -> Option<bool> {
        let start = Some(self.document.as_item());
        keys.iter().fold(start, |item, key| item?.get(key))?.as_bool()
    }

    /// The strings under a name in each table below a key; disabled tables are left out.
    pub(crate) fn texts(&self, keys: &[&str], name: &str) -> Vec<&str> {
        let start = Some(self.document.as_item());
        let above = keys.iter().fold(start, |item, key| item?.get(key));
        let tables = above.and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        let is_on = |it: &&Item| it.get("enabled").and_then(Item::as_bool) != Some(false);
        let tables = tables.map(|(_, it)| it).filter(is_on);
        tables.filter_map(|it| it.get(name)?.as_str()).collect()
    }

    fn events(&self) -> Vec<(&str, &Item)> {
        let hooks = self.document.get(HOOKS).and_then(Item::as_table_like);
        let events = hooks.into_iter().flat_map(TableLike::iter);
        events.filter(|(_, it)| it.is_array() || it.is_array_of_tables()).collect()
    }

    /// Whether the file has hooks.
    pub(crate) fn holds_hooks(&self) -> bool {
        !self.events().is_empty()
    }

    /// Our calls, by event.
    pub(crate) fn calls(&self, ours: Ours<'_>) -> Vec<(String, Call)> {
        let mut out = Vec::new();
        for (event, item) in self.events() {
            let calls = groups(item, ours).into_iter().flat_map(|it| it.calls).flatten();
            out.extend(calls.map(|call| (event.to_owned(), call)));
        }
        out
    }

    /// The insertions that make every event call us, and the surroundings they create.
    pub(crate) fn install(&self, calls: &[(&str, Call)]) -> Result<(Vec<Insertion>, Made), Unfit> {
        let hooks = self.document.get(HOOKS);
        if hooks.is_some_and(|it| !it.is_table()) {
            return Err(Unfit::shape("`hooks`", "a table under a heading"));
        }
        let (end, mut out, mut new) = (line_end(self.text), Vec::new(), String::new());
        for (event, call) in calls {
            match hooks.and_then(|it| it.get(event)) {
                Some(Item::Value(Value::Array(list))) => out.extend(in_list(list, call)),
                None | Some(Item::ArrayOfTables(_)) => new.push_str(&block(event, call, end)),
                Some(_) => return Err(Unfit::shape(&format!("`hooks.{event}`"), "an array")),
            }
        }
        if !new.is_empty() {
            let is_open = !self.text.is_empty() && !self.text.ends_with('\n');
            let before = if is_open { end } else { "" };
            out.push(Insertion { at: self.text.len(), text: format!("{before}{new}") });
        }
        out.sort_by_key(|it| it.at);
        Ok((out, Made::default()))
    }

    /// Every value in the order of the text, except those in the given ranges.
    fn values(&self, left_out: &[Range<usize>]) -> Vec<&str> {
        let mut places = Vec::new();
        leaves(self.document.as_item(), &mut places);
        places.retain(|it| !left_out.iter().any(|out| out.start <= it.start && it.end <= out.end));
        places.sort_by_key(|it| it.start);
        places.into_iter().filter_map(|it| self.text.get(it)).collect()
    }
}

/// The text without our calls. Compares every other value before and after.
pub(crate) fn strip(text: &str, ours: Ours<'_>) -> Result<String, Unfit> {
    let toml = Toml::parse(text)?;
    let mut gone = Vec::new();
    for (_, item) in toml.events() {
        let groups = groups(item, ours);
        let is_ours = |it: &Group| !it.calls.is_empty() && it.calls.iter().all(Option::is_some);
        let is_gone: Vec<_> = groups.iter().map(is_ours).collect();
        let ranges: Vec<_> = groups.into_iter().map(|it| it.range).collect();
        match item.as_array().and_then(Array::span) {
            Some(list) => gone.extend(out_of_list(text, &list, &ranges, &is_gone)),
            None => {
                let blocks = ranges.iter().zip(is_gone).filter(|(_, gone)| *gone);
                gone.extend(blocks.map(|(range, _)| lines(text, range)));
            }
        }
    }
    let after = without(text, &gone).ok_or(Unfit::Entangled)?;
    let parsed = Toml::parse(&after).map_err(|_| Unfit::Entangled)?;
    let is_sound = parsed.calls(ours).is_empty() && parsed.values(&[]) == toml.values(&gone);
    if is_sound { Ok(after) } else { Err(Unfit::Entangled) }
}

/// A group of one command under its own headings.
fn block(event: &str, call: &Call, end: &str) -> String {
    let mut lines =
        vec![String::new(), format!("[[{HOOKS}.{event}]]"), format!("[[{HOOKS}.{event}.{HOOKS}]]")];
    lines.extend(fields(call));
    lines.into_iter().flat_map(|line| [line, end.to_owned()]).collect()
}

fn fields(call: &Call) -> Vec<String> {
    let string = |it: &str| Value::from(it).to_string().trim().to_owned();
    let mut out = vec!["type = \"command\"".to_owned()];
    out.push(format!("command = {}", string(&call.command())));
    if call.form == HookCall::Arguments {
        out.push(format!("args = [{}]", call.arguments().map(string).join(", ")));
    }
    out.extend(call.timeout.map(|it| format!("timeout = {it}")));
    out
}

/// Inserts a group after the last one of a list.
fn in_list(list: &Array, call: &Call) -> Option<Insertion> {
    let group = format!("{{ {HOOKS} = [{{ {} }}] }}", fields(call).join(", "));
    let last = list.iter().last().and_then(Value::span);
    let (at, text) = match last {
        Some(last) => (last.end, format!(", {group}")),
        None => (list.span()?.start + 1, group),
    };
    Some(Insertion { at, text })
}

fn groups(event: &Item, ours: Ours<'_>) -> Vec<Group> {
    let tables = event.as_array_of_tables().into_iter().flatten();
    let tables = tables.filter_map(|it| Some((extent(it, it.span()?), it as &dyn TableLike)));
    let inline = event.as_array().into_iter().flatten();
    let inline = inline.filter_map(|it| {
        let table = it.as_inline_table()?;
        Some((table.span()?, table as &dyn TableLike))
    });
    let group = |(range, table): (Range<usize>, &dyn TableLike)| {
        let calls = commands(table).into_iter().map(|it| call(it, ours)).collect();
        Group { range, calls }
    };
    tables.chain(inline).map(group).collect()
}

fn commands(group: &dyn TableLike) -> Vec<&dyn TableLike> {
    let Some(list) = group.get(HOOKS) else { return Vec::new() };
    let tables = list.as_array_of_tables().into_iter().flatten().map(|it| it as &dyn TableLike);
    let inline = list.as_array().into_iter().flatten().filter_map(Value::as_inline_table);
    tables.chain(inline.map(|it| it as &dyn TableLike)).collect()
}

fn call(command: &dyn TableLike, ours: Ours<'_>) -> Option<Call> {
    let arguments = match command.get("args") {
        Some(list) => {
            let words = list.as_array()?.iter().map(|it| it.as_str().map(str::to_owned));
            Some(words.collect::<Option<Vec<_>>>()?)
        }
        None => None,
    };
    let timeout = command.get("timeout").and_then(Item::as_integer);
    let timeout = timeout.and_then(|it| u64::try_from(it).ok());
    ours.recognised(command.get("command")?.as_str()?, arguments.as_deref(), timeout)
}

/// From a table's heading to the end of its last value.
fn extent(table: &dyn TableLike, heading: Range<usize>) -> Range<usize> {
    let mut places = Vec::new();
    table.iter().for_each(|(_, item)| leaves(item, &mut places));
    let end = places.iter().map(|it| it.end).max().unwrap_or_default();
    heading.start..end.max(heading.end)
}

/// The ranges of all values and headings.
fn leaves(item: &Item, out: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(Value::Array(list)) => {
            out.extend(list.iter().filter_map(Value::span));
        }
        Item::Value(value) => out.extend(value.span()),
        Item::Table(table) => table.iter().for_each(|(_, it)| leaves(it, out)),
        Item::ArrayOfTables(tables) => {
            for table in tables {
                out.extend(table.span());
                table.iter().for_each(|(_, it)| leaves(it, out));
            }
        }
    }
}

/// The whole lines of a block, and the empty line before it.
fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let above = text.get(..start).unwrap_or_default();
    let is_empty =
        above.ends_with("\n\n") || above.ends_with("\n\r\n") || matches!(above, "\n" | "\r\n");
    let start = match above.strip_suffix('\n').filter(|_| is_empty) {
        Some(above) => above.strip_suffix('\r').unwrap_or(above).len(),
        None => start,
    };
    let after = text.get(range.end..).unwrap_or_default();
    let end = after.find('\n').map_or(text.len(), |it| range.end + it + 1);
    start..end
}

/// The items to remove from a list, with the whitespace before them and the surplus commas.
fn out_of_list(
    text: &str,
    list: &Range<usize>,
    items: &[Range<usize>],
    is_gone: &[bool],
) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let start = |at: usize| items.get(at).map_or(list.end, |it| it.start);
    let mut last_kept = None;
    for ((number, item), gone) in items.iter().enumerate().zip(is_gone) {
        if !gone {
            last_kept = Some((number, item));
            continue;
        }
        let before = text.get(..item.start).unwrap_or_default().trim_end().len();
        out.push(before..item.end);
        let own = comma(text, item.end..start(number + 1));
        let earlier = || last_kept.and_then(|(at, it)| comma(text, it.end..start(at + 1)));
        out.extend(own.or_else(earlier).map(|at| at..at + 1));
    }
    out
}

/// The comma in a gap between two items; a comma in a comment does not count.
fn comma(text: &str, gap: Range<usize>) -> Option<usize> {
    let mut is_remark = false;
    for (at, byte) in text.get(gap.clone())?.bytes().enumerate() {
        match byte {
            b'#' => is_remark = true,
            b'\n' => is_remark = false,
            b',' if !is_remark => return Some(gap.start + at),
            _ => {}
        }
    }
    None
}
