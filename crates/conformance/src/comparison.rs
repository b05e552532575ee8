//! The run of another validator on every document of the kit.

use crate::error::KitError;
use crate::kit;
use crate::program::{Ended, Program};
use serde::Serialize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use taffrail_contracts::Strictness;
use taffrail_contracts::kit::{Entry, Verdict};

/// The most processes at once.
const PROCESSES: usize = 8;

/// What to ask a validator.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The validator.
    pub program: &'q Program,
    /// Only documents of this contract.
    pub contract: Option<&'q str>,
    /// Whose rules the verdicts follow.
    pub strictness: Strictness,
    /// How long one document may take.
    pub limit: Duration,
}

/// The verdicts of a validator beside those of the manifest.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// How many documents it was asked about.
    pub run: usize,
    /// On how many it agrees.
    pub agreed: usize,
    /// The others.
    pub disagreed: Vec<Disagreement>,
}

/// A document on which the validator does not agree.
#[derive(Debug, Serialize)]
pub struct Disagreement {
    /// Its path in the kit.
    pub document: String,
    /// Its contract.
    pub contract: &'static str,
    /// The rule that it is about.
    pub rule: Option<String>,
    /// `lenient` or `strict`.
    pub strictness: &'static str,
    /// The verdict of the manifest.
    pub expected: Verdict,
    /// `valid`, `invalid`, `killed` by a signal, or `timed_out`.
    pub got: &'static str,
}

/// Asks a validator about every document. `progress` gets the documents done and all of them.
///
/// # Errors
/// The validator cannot be started, or the documents cannot be written to a temporary folder.
pub fn compare(
    question: &Question<'_>,
    progress: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<Comparison, KitError> {
    if !question.program.has("{}") {
        let (fault, example) = ("has no {} for the document", "'your-validator {}'");
        return Err(KitError::Command { fault, example });
    }
    let folder = kit::temporary()?;
    let mut entries = kit::write(folder.path())?;
    entries.retain(|it| question.contract.is_none_or(|name| name == it.contract));
    let ended = each(&entries, &|entry| asked(question, folder.path(), entry), progress)?;
    let pairs = entries.iter().zip(ended);
    let disagreed: Vec<_> =
        pairs.filter_map(|it| disagreement(it.0, question.strictness, it.1)).collect();
    Ok(Comparison { run: entries.len(), agreed: entries.len() - disagreed.len(), disagreed })
}

fn asked(question: &Question<'_>, folder: &Path, entry: &Entry) -> Result<Ended, KitError> {
    let file = folder.join(&entry.document);
    let file = file.to_string_lossy();
    let fill = [("{}", file.as_ref()), ("{contract}", entry.contract)];
    question.program.run(&fill, folder, question.limit)
}

/// Runs the command for every entry, a few at once; the first that cannot be started ends it.
fn each(
    entries: &[Entry],
    ask: &(dyn Fn(&Entry) -> Result<Ended, KitError> + Sync),
    progress: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<Vec<Ended>, KitError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Done { ended: vec![Ended::Killed; entries.len()], count: 0, progress });
    let worker = || -> Result<(), KitError> {
        while let Some((at, entry)) = taken(&next, entries) {
            let ended = ask(entry).inspect_err(|_| next.store(entries.len(), Ordering::SeqCst))?;
            done.lock().map_err(|_| KitError::Thread)?.note(at, ended);
        }
        Ok(())
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from).min(PROCESSES);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|it| it.join().unwrap_or(Err(KitError::Thread)))
    })?;
    Ok(done.into_inner().map_err(|_| KitError::Thread)?.ended)
}

fn taken<'e>(next: &AtomicUsize, entries: &'e [Entry]) -> Option<(usize, &'e Entry)> {
    let at = next.fetch_add(1, Ordering::SeqCst);
    entries.get(at).map(|entry| (at, entry))
}

/// How far the run is.
struct Done<'p> {
    ended: Vec<Ended>,
    count: usize,
    progress: &'p mut (dyn FnMut(usize, usize) + Send),
}

impl Done<'_> {
    fn note(&mut self, at: usize, ended: Ended) {
        if let Some(place) = self.ended.get_mut(at) {
            *place = ended;
        }
        self.count += 1;
        (self.progress)(self.count, self.ended.len());
    }
}

fn disagreement(entry: &Entry, strictness: Strictness, ended: Ended) -> Option<Disagreement> {
    let expected = entry.expected.under(strictness);
    let (got, verdict) = match ended {
        Ended::Code(0) => ("valid", Some(Verdict::Valid)),
        Ended::Code(_) => ("invalid", Some(Verdict::Invalid)),
        Ended::Killed => ("killed", None),
        Ended::TimedOut => ("timed_out", None),
    };
    (verdict != Some(expected)).then(|| Disagreement {
        document: entry.document.clone(),
        contract: entry.contract,
        rule: entry.rule.clone(),
        strictness: match strictness {
            Strictness::Lenient => "lenient",
            Strictness::Strict => "strict",
        },
        expected,
        got,
    })
}
