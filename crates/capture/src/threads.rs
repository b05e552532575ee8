//! The same work on several threads.

use std::panic::resume_unwind;
use std::thread::{Builder, available_parallelism, scope};

/// The most threads that look at files.
const MOST: usize = 4;

/// How many threads help this one where the work is large.
pub(crate) fn helpers(is_large: bool) -> usize {
    match is_large {
        true => available_parallelism().map_or(1, usize::from).min(MOST) - 1,
        false => 0,
    }
}

/// Does the work on this thread and on so many others; returns what each of them made of it.
pub(crate) fn on_threads<T: Send>(helpers: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    scope(|threads| {
        let spawn = |_| Builder::new().spawn_scoped(threads, &work);
        // Without another thread this one does everything.
        let others: Vec<_> = (0..helpers).filter_map(|it| spawn(it).ok()).collect();
        let mut out = vec![work()];
        for other in others {
            out.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        out
    })
}
