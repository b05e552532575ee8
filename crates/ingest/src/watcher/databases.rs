//! Databases that were read a moment ago, and when each is read again: pure.

use super::pace::LATE_COMMITS;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// When databases are read again.
#[derive(Debug, Default)]
pub(super) struct Databases {
    /// When a database was read because it had changed, and how often it was read since.
    read: HashMap<PathBuf, (Instant, usize)>,
}

impl Databases {
    /// A database was read because it had changed.
    pub(super) fn was_read(&mut self, path: &Path, now: Instant) {
        self.read.insert(path.to_owned(), (now, 0));
    }

    /// The next time at which one is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.read.values().filter_map(|it| due(*it)).min()
    }

    /// The databases that are due. Each is due once for each repetition.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<PathBuf> {
        let is_due = |it: &(Instant, usize)| due(*it).is_some_and(|it| it <= now);
        let mut taken = Vec::new();
        for (path, state) in self.read.iter_mut().filter(|(_, it)| is_due(it)) {
            state.1 += 1;
            taken.push(path.clone());
        }
        self.read.retain(|_, it| due(*it).is_some());
        taken.sort();
        taken
    }
}

fn due((read, times): (Instant, usize)) -> Option<Instant> {
    LATE_COMMITS.get(times).map(|after| read + *after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_answer_that_is_committed_after_its_log_was_read_is_read() {
        let (start, path) = (Instant::now(), PathBuf::from("/h/sessions.db"));
        let after = |ms| start + Duration::from_millis(ms);
        let mut databases = Databases::default();
        assert_eq!((databases.next(), databases.take_due(start)), (None, vec![]));
        databases.was_read(&path, start);
        for (early, due) in [(99, 100), (399, 400), (1599, 1600)] {
            assert_eq!(databases.next(), Some(after(due)));
            assert_eq!(databases.take_due(after(early)), Vec::<PathBuf>::new());
            assert_eq!(databases.take_due(after(due)), std::slice::from_ref(&path));
        }
        assert_eq!((databases.next(), databases.take_due(after(9999))), (None, vec![]));
        databases.was_read(&path, start);
        databases.was_read(&path, after(50));
        assert_eq!(databases.next(), Some(after(150)));
    }
}
