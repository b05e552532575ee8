//! A reader beside the writers: every file is whole at every moment, and the history only grows.

use std::path::{Path, PathBuf};
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{ACTIVE_FEATURES, HISTORY, PLAN, STATE};
use taffrail_workspace::validate_text;

/// The most faults that are kept; one is enough to know.
const MOST: usize = 20;

/// What a reader has seen.
#[derive(Debug)]
pub(crate) struct Watch {
    history: PathBuf,
    documents: Vec<PathBuf>,
    /// The complete lines of the history at the last reading.
    lines: String,
    /// The number of lines at the start.
    before: usize,
    pub(crate) readings: usize,
    pub(crate) faults: Vec<String>,
}

impl Watch {
    /// Begins with the directory as it is.
    pub(crate) fn new(directory: &Path, feature: &str) -> std::io::Result<Self> {
        let folder = directory.join(feature);
        let documents =
            vec![folder.join(STATE), folder.join(PLAN), directory.join(ACTIVE_FEATURES)];
        let history = folder.join(HISTORY);
        let lines = complete(&std::fs::read_to_string(&history)?).to_owned();
        let before = lines.lines().count();
        Ok(Self { history, documents, lines, before, readings: 0, faults: Vec::new() })
    }

    /// Reads everything once.
    pub(crate) fn look(&mut self) {
        self.readings += 1;
        self.look_at_history();
        for path in self.documents.clone() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    let report = validate_text(&name, &text, Strictness::Lenient);
                    let fault = report.faults.into_iter().next();
                    self.note(fault.map(|it| format!("{name} {}: {}", it.pointer, it.message)));
                }
                Err(error) => self.note(Some(format!("{name}: {error}"))),
            }
        }
    }

    fn look_at_history(&mut self) {
        match std::fs::read_to_string(&self.history) {
            Ok(text) if complete(&text).starts_with(&self.lines) => {
                complete(&text).clone_into(&mut self.lines);
            }
            Ok(text) => {
                self.note(Some(format!("{HISTORY}: lines that were there have changed")));
                complete(&text).clone_into(&mut self.lines);
            }
            Err(error) => self.note(Some(format!("{HISTORY}: {error}"))),
        }
    }

    fn note(&mut self, fault: Option<String>) {
        let is_new = |it: &String| self.faults.len() < MOST && !self.faults.contains(it);
        let fault = fault.filter(is_new);
        self.faults.extend(fault);
    }

    /// The number of lines that were added.
    pub(crate) fn added(&self) -> usize {
        self.lines.lines().count().saturating_sub(self.before)
    }

    /// How many lines have this entry.
    pub(crate) fn count(&self, entry: &str) -> usize {
        self.lines.lines().filter(|it| it.contains(entry)).count()
    }
}

/// The text up to its last complete line: a reader may meet a line that is being appended.
fn complete(text: &str) -> &str {
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURE: &str = "a-2025-01-09";

    /// A directory whose state is this text.
    fn directory(state: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let kit = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/conformance/ai-session/good/directory");
        std::fs::create_dir(folder.path().join(FEATURE)).unwrap();
        let copy = |from: &str, to: &str| {
            std::fs::copy(kit.join(from), folder.path().join(to)).unwrap();
        };
        copy(ACTIVE_FEATURES, ACTIVE_FEATURES);
        for name in [PLAN, HISTORY] {
            copy(&format!("ai-orchestrator-2025-01-09/{name}"), &format!("{FEATURE}/{name}"));
        }
        std::fs::write(folder.path().join(FEATURE).join(STATE), state).unwrap();
        folder
    }

    #[test]
    fn a_reader_notices_a_torn_file_and_a_rewritten_history() {
        let good = "version: \"1.0\"\nfeature_id: \"a-2025-01-09\"\ncurrent_state:\n  active_task: null\n  model_in_use: \"opus\"\n  started_at: \"2025-01-09T10:00:00Z\"\n  last_updated: \"2025-01-09T10:00:00Z\"\n";
        let folder = directory(good);
        let mut watch = Watch::new(folder.path(), FEATURE).unwrap();
        watch.look();
        assert_eq!(watch.faults, [""; 0]);
        let state = folder.path().join(FEATURE).join(STATE);
        std::fs::write(&state, good.split_at(60).0).unwrap();
        watch.look();
        assert_eq!(watch.faults.len(), 1, "{:?}", watch.faults);
        std::fs::remove_file(&state).unwrap();
        watch.look();
        assert_eq!(watch.faults.len(), 2, "{:?}", watch.faults);
        let history = folder.path().join(FEATURE).join(HISTORY);
        let before = std::fs::read_to_string(&history).unwrap();
        std::fs::write(&history, format!("{before}{{\"new\":\"entry-1\"}}\n{{\"torn")).unwrap();
        watch.look();
        assert_eq!((watch.added(), watch.count("entry-1"), watch.faults.len()), (1, 1, 2));
        std::fs::write(&history, "{}\n").unwrap();
        watch.look();
        assert!(watch.faults.iter().any(|it| it.contains("have changed")), "{:?}", watch.faults);
    }
}
