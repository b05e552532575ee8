//! Looks at what changed or was read a moment ago, in case a notification was missed or came too early.

use super::Scanner;
use super::file_stat::FileStat;
use super::pace::RECENT;
use std::path::PathBuf;
use std::time::Instant;
use taffrail_capture::{discover_at, plan};
use taffrail_context::{Error, ScanReport};

impl Scanner {
    pub(super) fn poll(&mut self) -> Result<ScanReport, Error> {
        let now = Instant::now();
        let late = self.databases.take_due(now);
        if !late.is_empty() {
            return self.read_again(&late);
        }
        self.recent.retain(|_, (since, _)| now.duration_since(*since) < RECENT);
        let changed = self.recent.iter().filter(|(path, (_, looks))| FileStat::of(path) != *looks);
        let changed: Vec<_> = changed.map(|(path, _)| path.clone()).collect();
        if changed.is_empty() { Ok(ScanReport::default()) } else { self.touched(changed) }
    }

    /// Reads databases although their files look the same.
    fn read_again(&mut self, paths: &[PathBuf]) -> Result<ScanReport, Error> {
        let (discovery, named) = discover_at(&self.homes, paths);
        let mut known = self.known_at(&discovery, named)?;
        for database in known.iter_mut().filter(|it| it.state.key.is_empty()) {
            database.half_read = true;
        }
        self.act(plan(discovery, &known))
    }
}
