//! Agents: which were found, whose readers need a fixture, and which files of the user are faulty.

use super::check;
use std::path::Path;
use taffrail_adapters::{Descriptor, Evidence};
use taffrail_api::{Check, CheckStatus};
use taffrail_capture::Home;
use taffrail_context::own_agents;

/// Which agents have a home here.
pub(super) fn found(homes: &[Home]) -> Check {
    if homes.is_empty() {
        let fix = "start an agent once, or name its home with `taffrail config set`";
        return check(
            "agents",
            CheckStatus::Warning,
            "no agent's home was found".into(),
            Some(fix),
        );
    }
    let names: Vec<_> = homes.iter().map(|it| it.adapter.descriptor().label).collect();
    check("agents", CheckStatus::Ok, format!("found {}", names.join(", ")), None)
}

/// Agents of the user's own that are left out because their file is faulty.
pub(super) fn faulty_files(config: &Path) -> Vec<Check> {
    let (_, faults) = own_agents(config);
    let fix = "taffrail agents check FILE --home DIR";
    let failed = |fault| check("own-agent", CheckStatus::Failed, fault, Some(fix));
    faults.into_iter().map(failed).collect()
}

/// Asks for a fixture of an agent that nobody here has run and whose source is closed.
pub(super) fn wanted_fixture(agent: &Descriptor) -> Option<Check> {
    if agent.evidence != Evidence::Documented {
        return None;
    }
    let (id, label) = (agent.id, agent.label);
    let evidence =
        format!("{label} is read as its documents describe it, which nobody has checked");
    let fix = format!(
        "compare a session with what {label} shows, and send the scrubbed files of \
         `taffrail agents record {id} --out DIR`"
    );
    Some(check(format!("fixture-{id}"), CheckStatus::Warning, evidence, Some(&fix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_is_asked_for_where_only_documents_are_known() {
        let asked = |evidence| {
            let agent = Descriptor { id: "toy", label: "Toy", evidence, ..Descriptor::NOTHING };
            wanted_fixture(&agent).map(|it| (it.id, it.fix.is_some()))
        };
        assert_eq!(asked(Evidence::Documented), Some(("fixture-toy".to_owned(), true)));
        assert_eq!(asked(Evidence::Source), None);
        assert_eq!(asked(Evidence::Recorded), None);
    }

    #[test]
    fn a_faulty_file_is_reported_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agents/toy.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "id = ").unwrap();
        let checks = faulty_files(folder.path());
        let path = file.display().to_string();
        assert!(checks.len() == 1 && checks[0].evidence.starts_with(&path), "{checks:?}");
        assert_eq!(checks[0].status, CheckStatus::Failed);
    }
}
