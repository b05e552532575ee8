//! Reads the sources that a scan found to be new.

use super::message::{SourceMoves, WatcherMessage};
use super::tickets::Load;
use super::{FileStat, Scanner};
use crate::copier::{CapturePolicy, follow};
use crate::retention::leave_out_old;
use crate::source_reader::SourceReader;
use crate::uncaptured::leave_out_uncaptured;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;
use taffrail_adapters::Shape;
use taffrail_capture::{Flow, Job, Plan, Texts};
use taffrail_context::{Error, ScanReport};
use taffrail_model::observed::Observed;

impl Scanner {
    pub(super) fn act(&mut self, mut plan: Plan) -> Result<ScanReport, Error> {
        leave_out_old(&self.given.settings, &mut plan);
        let mut problems = self.settle_places(&plan)?;
        let mut looked = ScanReport { sources: plan.sources, ..ScanReport::default() };
        let rules = self.rules();
        let index = self.index()?;
        leave_out_uncaptured(&mut plan, rules.uncaptured(), || match index {
            Some(index) => index.uncaptured_files(),
            None => Ok(HashSet::new()),
        })?;
        for mut job in plan.jobs {
            if let (Some(known), Some(id)) = (&mut job.known, job.known_id)
                && let Some(index) = self.index()?
            {
                known.reader = index.memory(id)?;
            }
            let path = Path::new(&job.found.home).join(&job.found.path);
            // The stat before the read: a write meanwhile makes the stat differ.
            let looks = FileStat::of(&path);
            problems.extend(self.read(&job, &rules));
            looked.read += 1;
            self.changed = self.changed.max(Some(job.found.fingerprint.modified_ns));
            if matches!(job.found.place.shape, Shape::Sqlite(_)) && looks_new(&job) {
                self.databases.was_read(&path, Instant::now());
            }
            self.recent.insert(path, (Instant::now(), looks));
        }
        looked.problems = problems;
        Ok(looked)
    }

    fn settle_places(&mut self, plan: &Plan) -> Result<Vec<String>, Error> {
        let mut places = SourceMoves {
            vanished: plan.vanished.clone(),
            returned: plan.returned.clone(),
            moved: Vec::new(),
        };
        let mut problems = Vec::new();
        let data = self.given.settings.data.clone();
        for job in &plan.jobs {
            let Some(id) = job.moved else { continue };
            let found = &job.found;
            let from = self.index()?.map(|index| index.source(id)).transpose()?.flatten();
            if let Some(Err(error)) = from.map(|from| follow(&data, &from.state, found)) {
                problems.push(format!("{}: its copy did not follow: {error}", found.path));
            }
            let (home, path) = (found.home.clone(), found.path.clone());
            places.moved.push((id, home, path, found.place.locator.clone()));
        }
        if !(places.vanished.is_empty() && places.returned.is_empty() && places.moved.is_empty()) {
            self.tickets.take(Load::one(0));
            self.send(WatcherMessage::Moves(self.number, places));
        }
        Ok(problems)
    }

    fn read(&mut self, job: &Job, rules: &CapturePolicy) -> Vec<String> {
        let reader = SourceReader { device: &self.given.device, texts: Texts::None, rules };
        let (number, send, tickets) = (self.number, &self.given.send, &self.tickets);
        let give = |piece: Box<Observed>| {
            tickets.take(Load::one(piece.outcome.bytes_read));
            match send(WatcherMessage::Piece(number, piece)) {
                true => Flow::Continue,
                false => Flow::Stop,
            }
        };
        reader.read(job, &mut self.packer, give)
    }
}

/// Whether a file changed since it was last read whole; otherwise it is only read again.
fn looks_new(job: &Job) -> bool {
    job.known.as_ref().is_none_or(|known| known.fingerprint != job.found.fingerprint)
}
