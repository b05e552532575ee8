//! Removes our hooks from JSON if someone changed the file in between.
//!
//! Our own code cuts ranges out of the text, because the syntax tree's `remove` also removes the
//! comments next to an item.

use crate::call::Ours;
use crate::edit::without;
use crate::json::{HOOKS, Json, call};
use crate::json_tree::{all, end_of, start_of, words};
use crate::{Made, Unfit};
use jsonc_parser::cst::{CstContainerNode, CstNode, CstObject, CstObjectProp};
use std::ops::Range;

/// Whether the whitespace before an item is removed with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Goes,
    Stays,
}

/// Removes our calls and everything that was created only for them. Compares everything else,
/// including comments, before and after.
pub(crate) fn strip(text: &str, ours: Ours<'_>, made: Option<&Made>) -> Result<String, Unfit> {
    let json = Json::parse(text)?;
    // Without the whitespace a line comment may lose its end; then the whitespace stays.
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

/// What is removed: the items themselves, and what belongs to them.
#[derive(Default)]
struct Gone {
    items: Vec<Range<usize>>,
    also: Vec<Range<usize>>,
}

/// Whether an object or array is removed when all its items are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    Goes,
    Stays,
}

impl Empty {
    const fn goes_if(was_made: bool) -> Self {
        if was_made { Self::Goes } else { Self::Stays }
    }
}

impl Strip<'_> {
    fn text(&self) -> Option<String> {
        let Some(root) = self.json.tree.object_value() else {
            return Some(self.json.text.to_owned());
        };
        let mut gone = Gone::default();
        self.root(root, &mut gone);
        let text = without(self.json.text, &[gone.items.as_slice(), &gone.also].concat())?;
        self.is_sound(&text, &gone).then_some(text)
    }

    /// Whether nothing of ours is left, and everything else is there in the same order.
    fn is_sound(&self, text: &str, gone: &Gone) -> bool {
        let Ok(after) = Json::parse(text) else { return false };
        let is_gone = |at: usize| gone.items.iter().any(|it| it.contains(&at));
        let before = words(&self.json.tree).into_iter().filter(|(at, _)| !is_gone(*at));
        let after_words = words(&after.tree).into_iter().map(|(_, word)| word);
        after.calls(self.ours).is_empty() && before.map(|(_, word)| word).eq(after_words)
    }

    fn root(&self, root: CstObject, out: &mut Gone) {
        let empty = Empty::goes_if(self.made.is_some_and(|made| made.root));
        let root = CstContainerNode::from(root);
        let is_gone = self.list(&root, empty, out, |property, out| {
            let is_hooks = |it: &CstObjectProp| it.decoded_name().as_deref() == Some(HOOKS);
            let hooks = property.as_object_prop().filter(is_hooks);
            let hooks = hooks.and_then(|it| it.object_value());
            hooks.is_some_and(|hooks| self.hooks(hooks, out))
        });
        if is_gone {
            out.items.push(range_of(&root.into()));
        }
    }

    fn hooks(&self, hooks: CstObject, out: &mut Gone) -> bool {
        let empty = Empty::goes_if(self.made.is_none_or(|made| made.hooks));
        self.list(&hooks.into(), empty, out, |event, out| self.event(event, out))
    }

    fn event(&self, event: &CstNode, out: &mut Gone) -> bool {
        let Some(event) = event.as_object_prop() else { return false };
        let name = event.decoded_name().unwrap_or_default();
        let empty = Empty::goes_if(self.made.is_none_or(|made| made.made_event(&name)));
        let Some(groups) = event.array_value() else { return false };
        self.list(&groups.into(), empty, out, |group, out| {
            group.as_object().is_some_and(|group| self.group(&group, out))
        })
    }

    /// Removes a group if it has lists of commands and all of them are removed.
    fn group(&self, group: &CstObject, out: &mut Gone) -> bool {
        let is_ours =
            |it: &CstNode| it.as_object().is_some_and(|it| call(&it, self.ours).is_some());
        let lists = all(group, HOOKS).into_iter().filter_map(|it| it.array_value());
        let is_gone = lists.map(|it| self.list(&it.into(), Empty::Goes, out, |it, _| is_ours(it)));
        all_gone(&is_gone.collect::<Vec<_>>())
    }

    /// Collects what to remove from an object or array; `true` if that is everything.
    fn list(
        &self,
        list: &CstContainerNode,
        empty: Empty,
        out: &mut Gone,
        goes: impl Fn(&CstNode, &mut Gone) -> bool,
    ) -> bool {
        let items = list.children_exclude_trivia_and_tokens();
        let is_gone: Vec<_> = items.iter().map(|it| goes(it, out)).collect();
        if all_gone(&is_gone) && empty == Empty::Goes {
            return true;
        }
        self.drop(items.iter().zip(is_gone), out);
        false
    }

    /// Marks the items to remove, the surplus commas, and the whitespace.
    fn drop<'a>(&self, items: impl Iterator<Item = (&'a CstNode, bool)>, out: &mut Gone) {
        let mut last_kept = None;
        for (item, is_gone) in items {
            if !is_gone {
                last_kept = Some(item);
                continue;
            }
            let range = range_of(item);
            out.also.extend(self.space_before(range.start));
            out.items.push(range);
            let earlier = || last_kept.and_then(CstNode::trailing_comma);
            let comma = item.trailing_comma().or_else(earlier);
            out.also.extend(comma.map(|it| range_of(&it.into())));
        }
    }

    fn space_before(&self, at: usize) -> Option<Range<usize>> {
        let before = self.json.text.get(..at)?.trim_end().len();
        (self.space == Space::Goes).then_some(before..at)
    }
}

fn range_of(node: &CstNode) -> Range<usize> {
    start_of(node)..end_of(node)
}

fn all_gone(is_gone: &[bool]) -> bool {
    !is_gone.is_empty() && is_gone.iter().all(|it| *it)
}
