//! Taking our hooks out of JSON again when someone changed the file in between.

use super::call::Ours;
use super::edit::without;
use super::json::{HOOKS, Json, all, call, elements, spans};
use super::{Made, Unfit};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Range;
use jsonc_parser::tokens::Token;

/// Whether the space before an item goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Goes,
    Stays,
}

/// The text without our calls and without what was made only for them. Everything else, comments
/// included, is compared before and after.
pub(super) fn strip(text: &str, ours: Ours<'_>, made: Option<&Made>) -> Result<String, Unfit> {
    let json = Json::parse(text)?;
    // Without the space the text may lose the end of a comment's line; then the space stays.
    let ways = [Space::Goes, Space::Stays].into_iter();
    let mut texts = ways.filter_map(|space| Strip { json: &json, ours, made, space }.text());
    texts.next().ok_or(Unfit::Entangled)
}

struct Strip<'a> {
    json: &'a Json<'a>,
    ours: Ours<'a>,
    made: Option<&'a Made>,
    space: Space,
}

/// What goes of one list: the items themselves, and what goes with them.
#[derive(Default)]
struct Gone {
    items: Vec<Range>,
    also: Vec<Range>,
}

impl Strip<'_> {
    fn text(&self) -> Option<String> {
        let Some(root) = &self.json.root else { return Some(self.json.text.to_owned()) };
        let gone = self.of_root(root);
        let ranges: Vec<_> =
            gone.items.iter().chain(&gone.also).map(|it| it.start..it.end).collect();
        let text = without(self.json.text, &ranges)?;
        self.is_sound(&text, &gone).then_some(text)
    }

    /// Nothing of ours is left, and everything else is there in the same order.
    fn is_sound(&self, text: &str, gone: &Gone) -> bool {
        let Ok(after) = Json::parse(text) else { return false };
        let kept = |it: &Range| {
            !gone.items.iter().any(|gone| gone.start <= it.start && it.end <= gone.end)
        };
        let words = |json: &Json<'_>, kept: &dyn Fn(&Range) -> bool| -> Vec<String> {
            let tokens = json.tokens.iter().filter(|it| !matches!(it.token, Token::Comma));
            let tokens = tokens.filter(|it| kept(&it.range));
            tokens.map(|it| json.between(it.range.start, it.range.end).to_owned()).collect()
        };
        after.calls(self.ours).is_empty() && words(self.json, &kept) == words(&after, &|_| true)
    }

    fn of_root(&self, root: &Object<'_>) -> Gone {
        let mut out = Gone::default();
        let is_gone: Vec<_> = root
            .properties
            .iter()
            .map(|it| {
                let hooks = it.value.as_object().filter(|_| it.name.as_str() == HOOKS);
                hooks.is_some_and(|hooks| self.of_hooks(hooks, &mut out))
            })
            .collect();
        if all_gone(&is_gone) && self.made.is_some_and(|made| made.root) {
            out.items = vec![root.range];
            return out;
        }
        self.drop(root.range, &spans(&root.properties), &is_gone, &mut out);
        out
    }

    /// Collects what goes of all events; says whether the whole of them goes.
    fn of_hooks(&self, hooks: &Object<'_>, out: &mut Gone) -> bool {
        let is_gone: Vec<_> = hooks
            .properties
            .iter()
            .map(|event| {
                let may_go = self.made.is_none_or(|made| made.made_event(event.name.as_str()));
                self.of_event(&event.value, may_go, out)
            })
            .collect();
        if all_gone(&is_gone) && self.made.is_none_or(|made| made.hooks) {
            return true;
        }
        self.drop(hooks.range, &spans(&hooks.properties), &is_gone, out);
        false
    }

    fn of_event(&self, event: &Value<'_>, may_go: bool, out: &mut Gone) -> bool {
        let Some(groups) = event.as_array() else { return false };
        let is_gone: Vec<_> = groups
            .elements
            .iter()
            .map(|group| group.as_object().is_some_and(|group| self.of_group(group, out)))
            .collect();
        if all_gone(&is_gone) && may_go {
            return true;
        }
        self.drop(groups.range, &elements(groups), &is_gone, out);
        false
    }

    fn of_group(&self, group: &Object<'_>, out: &mut Gone) -> bool {
        let lists = all(group, HOOKS).filter_map(|it| it.value.as_array());
        let mut whole = None;
        for list in lists {
            let is_ours =
                |it: &Value<'_>| it.as_object().is_some_and(|it| call(it, self.ours).is_some());
            let is_gone: Vec<_> = list.elements.iter().map(is_ours).collect();
            whole = Some(all_gone(&is_gone) && whole != Some(false));
            if !all_gone(&is_gone) {
                self.drop(list.range, &elements(list), &is_gone, out);
            }
        }
        whole == Some(true)
    }

    /// Marks the items of a list that go, the commas that would be too many, and the space.
    fn drop(&self, whole: Range, items: &[Range], is_gone: &[bool], out: &mut Gone) {
        let start = |at: usize| items.get(at).map_or(whole.end, |it| it.start);
        let mut last_kept: Option<(usize, Range)> = None;
        for ((number, item), gone) in items.iter().enumerate().zip(is_gone) {
            if !gone {
                last_kept = Some((number, *item));
                continue;
            }
            let before = number.checked_sub(1).and_then(|it| items.get(it));
            let from = before.map_or(whole.start + 1, |it| it.end);
            out.items.push(*item);
            out.also.extend(self.space(from, item.start));
            let own = self.json.comma(item.end, start(number + 1));
            let earlier = || last_kept.and_then(|(at, it)| self.json.comma(it.end, start(at + 1)));
            out.also.extend(own.or_else(earlier));
        }
    }

    fn space(&self, from: usize, until: usize) -> Option<Range> {
        let before = self.json.between(from, until);
        let space = before.len() - before.trim_end().len();
        (self.space == Space::Goes).then(|| Range::new(until - space, until))
    }
}

fn all_gone(is_gone: &[bool]) -> bool {
    !is_gone.is_empty() && is_gone.iter().all(|it| *it)
}
