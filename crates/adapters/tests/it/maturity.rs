//! The tests behind the table of what can be done with each agent: one for each claim, made from the same lists.

use crate::fixtures::{Fixture, fixtures_of};
use crate::recorded::Recorder;
use std::path::Path;
use taffrail_adapters::maturity::{ASK_ON_DISK, Level, REPLAYED, RUN, test_of};
use taffrail_adapters::{Adapter, Evidence, Os, all, owners};
use taffrail_model::Kind;
use taffrail_model::evidence::Life;
use taffrail_model::status::{Given, Status, Thresholds, read as fold};

/// Its fixtures are read without an unknown record, and say what a person asked and what came of it.
mod read {
    macro_rules! tests {
        ($($name:ident),+) => {
            $(#[test]
            fn $name() {
                super::check_read(&taffrail_adapters::$name::ADAPTER);
            })+
        };
    }
    taffrail_adapters::for_each_adapter!(tests);
}

/// While it asks, its session waits for an approval by its files alone; once it is answered, it does not.
mod live {
    macro_rules! tests {
        ($($name:ident),+) => {
            $(#[test]
            fn $name() {
                super::check_live(&taffrail_adapters::$name::ADAPTER);
            })+
        };
    }
    taffrail_adapters::for_each_adapter!(tests);
}

/// Its command resumes every session of its fixtures by the id that is written there.
mod resumes {
    macro_rules! tests {
        ($($name:ident),+) => {
            $(#[test]
            fn $name() {
                super::check_resumes(&taffrail_adapters::$name::ADAPTER);
            })+
        };
    }
    taffrail_adapters::for_each_adapter!(tests);
}

fn check_read(adapter: &dyn Adapter) {
    // Sessions of other devices are replicated, and an imported state may have no prompt.
    if !is_agent(adapter) {
        return;
    }
    let recorder = recorded(adapter, &fixtures_of(adapter));
    let count = |kind: &Kind| recorder.events.iter().filter(|it| it.kind == *kind).count();
    let (prompts, answers) = (count(&Kind::UserPrompt), count(&Kind::AssistantMessage));
    assert!(prompts > 0, "nobody asked anything in {recorder:?}");
    // Of some agents only prompts and tokens can be read.
    let came = answers + count(&Kind::ToolCall) + recorder.usages;
    assert!(came > 0, "nothing came of it: {recorder:?}");
}

fn check_live(adapter: &dyn Adapter) {
    let named = |prefix: &str| -> Vec<Fixture> {
        let all = fixtures_of(adapter).into_iter();
        all.filter(|it| it.case.starts_with(prefix)).collect()
    };
    let id = adapter.descriptor().id;
    let (asks, answered) = (named("asks"), named("answered"));
    let is_claimed = ASK_ON_DISK.contains(&id);
    assert_eq!(is_claimed, !asks.is_empty(), "{id}: a claim and its fixture belong together");
    if is_claimed {
        assert_eq!(status(adapter, &asks), Status::WaitingApproval, "{id} asks");
        assert_ne!(status(adapter, &answered), Status::WaitingApproval, "{id} was answered");
    }
}

/// The status of the session that spoke last, a second later, while its process runs.
fn status(adapter: &dyn Adapter, fixtures: &[Fixture]) -> Status {
    let recorder = recorded(adapter, fixtures);
    let last = recorder.events.iter().max_by_key(|it| it.at).expect("an event");
    let evidence: Vec<_> = recorder.evidence_of(last.session);
    let now = last.at + std::time::Duration::from_secs(1);
    let (life, thresholds) = (Life::Alive, Thresholds::default());
    fold(&Given { evidence: &evidence, life, workers: &[], now, thresholds }).status
}

fn check_resumes(adapter: &dyn Adapter) {
    let Some(plan) = adapter.start_plan() else { return };
    let id = adapter.descriptor().id;
    let sessions = recorded(adapter, &fixtures_of(adapter)).sessions;
    assert!(!sessions.is_empty(), "{id} has no session to resume");
    for (who, facts) in sessions.iter().filter(|(_, facts)| facts.parent.is_none()) {
        let words = plan.resume(who.id.as_str());
        assert!(words.is_some(), "{id} cannot resume {who:?}: {facts:?}");
        let words = words.unwrap_or_default();
        let named = words.iter().filter(|it| it.contains(who.id.as_str())).count();
        assert_eq!(named, 1, "{id}: {words:?}");
    }
}

fn recorded(adapter: &dyn Adapter, fixtures: &[Fixture]) -> Recorder {
    let mut recorder = Recorder::default();
    fixtures.iter().for_each(|it| recorder.read(adapter, it));
    recorder
}

fn is_agent(adapter: &dyn Adapter) -> bool {
    !adapter.is_remote() && adapter.importer().is_none()
}

#[test]
fn every_claim_about_a_real_program_names_a_test_that_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (programs, own) = (crates.join("../taffrail/tests/it"), crates.join("../agents/src"));
    RUN.iter().for_each(|claim| check_claim(&programs, claim));
    REPLAYED.iter().for_each(|claim| check_claim(&own, claim));
}

/// The path of a test names its file below the folder.
fn check_claim(folder: &Path, (agent, level, test): &(&str, Level, &str)) {
    let (path, name) = test.rsplit_once("::").unwrap();
    let file = folder.join(format!("{}.rs", path.replace("::", "/")));
    let text = std::fs::read_to_string(&file).unwrap();
    let named = format!("#[test]\nfn {name}()");
    assert!(text.contains(&named), "{agent} {level:?}: {test}");
    assert!(all().iter().any(|it| it.descriptor().id == *agent), "{agent}");
}

#[test]
fn a_recorded_agent_says_so_and_everything_else_is_marked() {
    for adapter in owners().filter(|it| is_agent(*it)) {
        let (id, evidence) = (adapter.descriptor().id, adapter.descriptor().evidence);
        assert!(test_of(adapter, Level::Read).is_some(), "{id}");
        let is_run = RUN.iter().chain(REPLAYED).any(|(agent, ..)| *agent == id);
        assert!(!is_run || evidence == Evidence::Recorded, "{id}");
    }
}

/// The marks around the table in the document.
const BEGIN: &str = "<!-- table: made by the test `the_document_has_the_table` -->\n";
const END: &str = "<!-- end of table -->\n";

/// `UPDATE_GOLDEN=1` writes it.
#[test]
fn the_document_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the mark before the table");
    let (_, after) = rest.split_once(END).expect("the mark after the table");
    let expected = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var("UPDATE_GOLDEN").is_ok() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(text, expected, "UPDATE_GOLDEN=1 writes the table");
}

fn table() -> String {
    let head = "| agent | id | home | read | live | answers | resumes | carries | known from |\n";
    let line = "|---|---|---|:-:|:-:|:-:|:-:|:-:|---|\n";
    let agents = all().iter().copied().filter(|it| is_agent(*it));
    let mut rows: Vec<_> =
        agents.map(|it| (it.descriptor().label.to_lowercase(), row(it))).collect();
    rows.sort();
    [head, line].into_iter().map(str::to_owned).chain(rows.into_iter().map(|it| it.1)).collect()
}

fn row(adapter: &dyn Adapter) -> String {
    let it = adapter.descriptor();
    let mark = |level: Level| if test_of(adapter, level).is_some() { "✓" } else { "" };
    let levels: Vec<_> = Level::ALL.into_iter().map(mark).collect();
    let (label, id, evidence) = (it.label, it.id, it.evidence.as_str());
    format!("| {label} | `{id}` | {} | {} | {evidence} |\n", home(adapter), levels.join(" | "))
}

/// Where the first home is on Linux unless a variable moves it.
fn home(adapter: &dyn Adapter) -> String {
    let it = adapter.descriptor();
    let rules = it.homes.iter().flat_map(|rules| rules.iter());
    let mut here = rules.filter(|rule| matches!(rule.os, Os::Any | Os::Linux));
    match here.find(|rule| rule.variable.is_none()) {
        Some(rule) => format!("`~/{}`", rule.below),
        None if it.in_projects => "the project".to_owned(),
        None => "not on Linux".to_owned(),
    }
}
