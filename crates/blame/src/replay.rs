//! Replays edits: what is known of the text of each file, and which edit wrote each line.

use crate::alignment::{ENOUGH, pairs};
use crate::carry::carried;
use crate::text::{Known, Text};
use crate::{Base, Change, Claim, Edit, Hunk, Place, Reach, clean, weight};
use std::collections::{BTreeMap, HashSet};

/// What is known of a file.
#[derive(Debug, Clone, Default)]
struct Document {
    /// All of it, as the edits leave it.
    whole: Option<Text>,
    /// Parts of a file whose rest is unknown.
    parts: Vec<Text>,
    /// The file has other lines than the known ones, or had them.
    is_there: bool,
}

/// The files that edits changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replay {
    files: BTreeMap<Place, Document>,
}

impl Replay {
    /// Every known text with its file.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&Place, &Text)> {
        self.files.iter().flat_map(|(place, it)| it.all().map(move |text| (place, text)))
    }

    /// Applies an edit, by its number.
    pub(crate) fn apply(&mut self, number: usize, edit: &Edit) {
        let claim = Claim { edit: number, author: edit.author };
        match &edit.change {
            Change::Write(content) => self.write(claim, edit, content),
            Change::Append(content) => self.document(edit).append(claim, content),
            Change::Replace(hunks, reach) => {
                let document = self.document(edit);
                hunks.iter().for_each(|hunk| document.replace(claim, hunk, *reach));
            }
            Change::Move(to) => {
                let document = self.files.remove(&edit.place).unwrap_or_default();
                let place = Place { path: to.clone(), ..edit.place.clone() };
                self.files.insert(place, document);
            }
            // The file may come back with lines that it had.
            Change::Delete => self.document(edit).is_there = true,
        }
    }

    /// The document of an edit, brought to the text that the agent recorded.
    fn document(&mut self, edit: &Edit) -> &mut Document {
        let document = self.files.entry(edit.place.clone()).or_default();
        match &edit.base {
            Base::Text(text) => document.become_text(text),
            Base::New => *document = Document::of(Text::default()),
            Base::There | Base::Unknown => {}
        }
        document
    }

    fn write(&mut self, claim: Claim, edit: &Edit, content: &str) {
        let elsewhere = self.elsewhere(&edit.place);
        let document = self.document(edit);
        // Lines that the known text lacks are new, unless somebody else may have added them.
        let is_known = !document.is_there && edit.base != Base::There;
        let lines = match document.whole.take().or(elsewhere) {
            Some(base) => carried(&base.lines, lines(content), Some(claim).filter(|_| is_known)),
            None if is_known => carried(&[], lines(content), Some(claim)),
            None => document.recognized(lines(content)),
        };
        *document = Document::of(Text { lines });
    }

    /// The same file in another working tree, from which this one may come.
    fn elsewhere(&self, place: &Place) -> Option<Text> {
        let same = |it: &&Place| it.path == place.path && it.root != place.root;
        let known = self.files.keys().find(same).and_then(|it| self.files.get(it))?;
        known.whole.clone()
    }
}

impl Document {
    fn of(text: Text) -> Self {
        Self { whole: Some(text), parts: Vec::new(), is_there: false }
    }

    fn all(&self) -> impl Iterator<Item = &Text> {
        self.whole.iter().chain(&self.parts)
    }

    /// Takes over the text that an agent recorded before its change.
    fn become_text(&mut self, text: &str) {
        let mut lines = self.recognized(lines(text));
        if let Some(base) = &self.whole {
            let texts = lines.iter().map(|it| it.text.clone()).collect();
            let carried = carried(&base.lines, texts, None).into_iter();
            lines
                .iter_mut()
                .zip(carried)
                .for_each(|(it, base)| it.origin = it.origin.or(base.origin));
        }
        *self = Self::of(Text { lines });
    }

    /// Lines with the origins of the known parts that they contain.
    fn recognized(&self, lines: Vec<String>) -> Vec<Known> {
        let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut origins = vec![None; lines.len()];
        for part in &self.parts {
            for (own, place) in pairs(&part.lines, &texts) {
                let origin = part.lines.get(own).and_then(|it| it.origin);
                origins.get_mut(place).into_iter().for_each(|it| *it = origin.or(*it));
            }
        }
        lines.into_iter().zip(origins).map(|(text, origin)| Known { text, origin }).collect()
    }

    fn append(&mut self, claim: Claim, content: &str) {
        let new = carried(&[], lines(content), Some(claim));
        match &mut self.whole {
            Some(text) => text.lines.extend(new),
            None => self.add_part(new),
        }
    }

    fn replace(&mut self, claim: Claim, hunk: &Hunk, reach: Reach) {
        let whole = self.whole.as_mut().is_some_and(|it| it.replace(claim, hunk, reach));
        let mut parts = self.parts.iter_mut().rev();
        if whole || parts.any(|it| it.replace(claim, hunk, Reach::Once)) {
            return;
        }
        self.forget_removed(hunk);
        let origin = None;
        let base = lines(&hunk.old).into_iter().map(|text| Known { text, origin });
        let base: Vec<Known> = base.collect();
        self.add_part(carried(&base, lines(&hunk.new), Some(claim)));
    }

    fn add_part(&mut self, lines: Vec<Known>) {
        self.parts.push(Text { lines });
        self.is_there = true;
    }

    /// The hunk is about a text that differs from the known one. The lines that it removes are not
    /// claimed any more.
    fn forget_removed(&mut self, hunk: &Hunk) {
        let kept: HashSet<String> = lines(&hunk.new).into_iter().collect();
        let removed = lines(&hunk.old).into_iter().filter(|it| !kept.contains(it));
        let removed: HashSet<String> = removed.collect();
        let all = self.whole.iter_mut().chain(&mut self.parts).flat_map(|it| &mut it.lines);
        all.filter(|it| removed.contains(&it.text)).for_each(|it| it.origin = None);
    }
}

impl Text {
    /// Replaces a part; `false` if the part is not there.
    fn replace(&mut self, claim: Claim, hunk: &Hunk, reach: Reach) -> bool {
        let (old, new) = (normal(&hunk.old), normal(&hunk.new));
        let text: String = self.lines.iter().flat_map(|it| [it.text.as_str(), "\n"]).collect();
        let is_empty = old.is_empty() && text.is_empty();
        if !is_empty && (old.is_empty() || !text.contains(&old)) {
            return false;
        }
        let times = if reach == Reach::Everywhere { usize::MAX } else { 1 };
        let next = if is_empty { new } else { text.replacen(&old, &new, times) };
        self.lines = carried(&self.lines, lines(&next), Some(claim));
        if weight(&old) < ENOUGH || text.matches(&old).nth(1).is_some() {
            // The hunk may be about an equal part that somebody else wrote.
            let around: HashSet<String> = lines(&hunk.old).into_iter().collect();
            let kept = self.lines.iter_mut().filter(|it| around.contains(&it.text));
            kept.for_each(|it| it.origin = None);
        }
        true
    }
}

/// The lines of a text without the white space at their ends.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|it| clean(it).to_owned()).collect()
}

/// A text without the white space at the ends of its lines, and with the same last end of line.
fn normal(text: &str) -> String {
    let mut out = lines(text).join("\n");
    if text.ends_with('\n') {
        out.push('\n');
    }
    out
}
