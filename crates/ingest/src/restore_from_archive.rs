//! Restores sources that are gone from their archived copies.
//!
//! A rebuilt index does not know files that agents deleted before. Their copies are read once, as
//! the files would have been.

use crate::ingest_pass::Run;
use crate::retention::index_begins;
use crate::scope::Budget;
use crate::source_reader::scope_of;
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;
use taffrail_adapters::by_id;
use taffrail_capture::{Content, Copied, Flow, Reading, SideFiles, Texts, read_copy};
use taffrail_context::Error;
use taffrail_model::observed::{ArchiveState, Observed};
use taffrail_model::{DeviceId, prompt_history};
use taffrail_store::archive::{Archive, Label, Shape, Volume};

/// The place of a source: home, path and key.
type Place = (String, String, String);

impl Run<'_> {
    /// Reads the copies of sources that the index does not know, once per index.
    pub(crate) fn revive(&mut self, budget: Budget<'_>) -> Result<(), Error> {
        if self.writer.knows_archive()? {
            return Ok(());
        }
        let archive = Archive::new(&self.settings.data);
        let known = self.writer.sources()?.into_iter().map(|it| it.state);
        let known: HashSet<Place> = known.map(|it| (it.home, it.path, it.key)).collect();
        let mut seen = HashSet::new();
        let device = self.writer.device()?;
        let begins = index_begins(self.settings).map(SystemTime::from);
        let entries = archive.all()?.entries.into_iter();
        let entries = entries.filter(|it| begins.is_none_or(|begins| it.modified >= begins));
        for label in entries.map(|it| it.label) {
            if budget.is_over() {
                // The next run starts over with the sources that are unknown by then.
                return Ok(());
            }
            let place = (label.home.clone(), label.path.clone(), label.key.clone());
            if !known.contains(&place) && seen.insert(place) {
                self.revive_one(&archive, &label, &device)?;
            }
        }
        Ok(self.writer.note_archive()?)
    }

    /// Reads the copies of prompt histories, once per index and before the files themselves: they
    /// hold prompts that the agents cut from these files. `true` if there was one to read.
    pub(crate) fn recall_prompts(&mut self) -> Result<bool, Error> {
        if self.writer.knows_archive()? {
            return Ok(false);
        }
        let archive = Archive::new(&self.settings.data);
        let labels = archive.all()?.entries.into_iter().map(|it| it.label);
        let mut seen = HashSet::new();
        let device = self.writer.device()?;
        for label in labels.filter(|it| prompt_history::is_locator(&it.locator)) {
            let mut editions = archive.editions(label.address())?;
            let is_there = Path::new(&label.home).join(&label.path).exists();
            let place = (label.home.clone(), label.path.clone(), label.key.clone());
            if (is_there && editions.len() == 1) || !seen.insert(place) {
                continue;
            }
            editions.reverse();
            for volume in editions {
                self.revive_volume(volume, &label, &device)?;
            }
        }
        Ok(!seen.is_empty())
    }

    fn revive_one(
        &mut self,
        archive: &Archive,
        label: &Label,
        device: &DeviceId,
    ) -> Result<(), Error> {
        match archive.find(label.address())? {
            Some(volume) => self.revive_volume(volume, label, device),
            None => Ok(()),
        }
    }

    fn revive_volume(
        &mut self,
        mut volume: Volume,
        label: &Label,
        device: &DeviceId,
    ) -> Result<(), Error> {
        let kept = ArchiveState::Bytes(volume.covered_to().max(1));
        let texts = if self.search.wants_texts() { Texts::Searched } else { Texts::None };
        let mut fault = None;
        self.writer.begin()?;
        let read = read_volume(&mut volume, label, (device, texts), &mut |mut piece| {
            piece.source.kept = kept;
            if let Err(error) = self.take_piece(&mut piece) {
                fault = Some(error);
                return Flow::Stop;
            }
            Flow::Continue
        });
        self.writer.commit((self.settings.now)())?;
        self.total.problems.extend(read.err());
        fault.map_or(Ok(()), Err)
    }
}

fn read_volume(
    volume: &mut Volume,
    label: &Label,
    (device, texts): (&DeviceId, Texts),
    give: &mut dyn FnMut(Observed) -> Flow,
) -> Result<(), String> {
    let Some(adapter) = by_id(label.agent.as_str()) else { return Ok(()) };
    let scope = scope_of(device.as_str(), adapter, (&label.home, &label.path));
    let mut reader;
    let content = match label.shape {
        Shape::Lines => {
            reader = volume.reader();
            Content::Lines(&mut reader)
        }
        Shape::Document => Content::Document(volume.whole().map_err(|it| it.to_string())?),
        Shape::Rows => Content::Rows(volume.rows().map_err(|it| it.to_string())?),
    };
    let copy = Copied {
        agent: label.agent.as_str(),
        home: &label.home,
        path: &label.path,
        key: &label.key,
        beside: beside(label),
        content,
    };
    read_copy(copy, Reading { scope: &scope, texts }, give).map_err(|it| it.to_string())
}

fn beside(label: &Label) -> SideFiles {
    label.beside.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}
