//! Which tool calls were emitted, so that each has one call and one result.
//!
//! A call and its output are in two records; in paginated files a third, the completed item, has
//! the better result and usually comes first.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use taffrail_kit::records;

/// The most calls without a result that are remembered.
const OPEN_CALLS: usize = 512;
/// The most calls remembered once all of them have results.
const RECENT_CALLS: usize = 32;

/// How much of a call was emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// No result so far.
    Open,
    /// It has a result.
    Answered,
    /// The completed item emitted both, and no record of the call came before.
    Whole,
}

/// The recent calls, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Calls(VecDeque<(String, Stage)>);

impl Calls {
    /// Notes the record of a call; returns whether to emit the call.
    pub(super) fn begin(&mut self, id: &str) -> bool {
        match self.stage(id) {
            Some(Stage::Whole) => return false,
            Some(stage) => *stage = Stage::Open,
            None => self.put(id, Stage::Open),
        }
        true
    }

    /// Notes the record of an output; returns whether to emit the result.
    pub(super) fn answer(&mut self, id: &str) -> bool {
        match self.stage(id) {
            Some(Stage::Answered | Stage::Whole) => return false,
            Some(stage) => *stage = Stage::Answered,
            None => self.put(id, Stage::Answered),
        }
        true
    }

    /// Notes a completed item, whose result is always emitted; returns whether to emit the call,
    /// too.
    pub(super) fn complete(&mut self, id: &str) -> bool {
        match self.stage(id) {
            Some(Stage::Whole) => return true,
            Some(stage) => *stage = Stage::Answered,
            None => {
                self.put(id, Stage::Whole);
                return true;
            }
        }
        false
    }

    fn stage(&mut self, id: &str) -> Option<&mut Stage> {
        let mut latest = self.0.iter_mut().rev();
        latest.find(|(known, _)| known == id).map(|(_, stage)| stage)
    }

    fn put(&mut self, id: &str, stage: Stage) {
        if id.len() > records::LONGEST_ID {
            return;
        }
        self.0.push_back((id.to_owned(), stage));
        self.forget();
    }

    /// Forgets the oldest answered call first.
    fn forget(&mut self) {
        if self.0.len() <= RECENT_CALLS {
            return;
        }
        let answered = self.0.iter().position(|(_, stage)| *stage != Stage::Open);
        match answered {
            Some(index) => drop(self.0.remove(index)),
            None if self.0.len() > OPEN_CALLS => drop(self.0.pop_front()),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_tells_the_result_and_the_output_is_silent() {
        let mut calls = Calls::default();
        assert!(calls.begin("a"));
        assert!(!calls.complete("a"), "the call was told");
        assert!(!calls.answer("a"), "the item was richer");
    }

    #[test]
    fn an_output_without_an_item_tells_the_result_once() {
        let mut calls = Calls::default();
        assert!(calls.begin("a"));
        assert!(calls.answer("a"));
        assert!(!calls.answer("a"));
        assert!(!calls.complete("a"), "a late item corrects the result only");
    }

    #[test]
    fn an_item_without_a_call_tells_both() {
        let mut calls = Calls::default();
        assert!(calls.complete("a"));
        assert!(!calls.begin("a"));
        assert!(!calls.answer("a"));
    }

    #[test]
    fn memory_is_bounded_and_open_calls_are_kept_longest() {
        let mut calls = Calls::default();
        assert!(calls.begin("first"));
        for number in 0..1000 {
            calls.begin(&number.to_string());
            calls.answer(&number.to_string());
        }
        assert_eq!(calls.0.len(), RECENT_CALLS);
        assert_eq!(calls.stage("first"), Some(&mut Stage::Open));
        for number in 0..1000 {
            calls.begin(&format!("open {number}"));
        }
        assert_eq!(calls.0.len(), OPEN_CALLS);
    }
}
