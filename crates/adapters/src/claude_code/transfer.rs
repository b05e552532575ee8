//! Where the files of a session go on another machine: below the agent's folder for the project's
//! path there. The bytes stay the same; `--resume` reads the folder of its working directory.

use super::place::{folder_of, split};
use taffrail_kit::transfer::{is_plain_path, is_uuid};
use taffrail_kit::{Destination, PlacementError, TransferPlan};

pub(super) static PLAN: TransferPlan =
    TransferPlan { beside, needs_origin: false, bookkeeping: BOOKKEEPING, rehome };

/// Record types that the agent appends between turns and when it exits.
const BOOKKEEPING: &[&str] = &[
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attribution-snapshot",
    "cost-state",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "tools-used",
];

/// The folder of sub-agents, and of tool results that were too long for the transcript.
fn beside(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".jsonl")?;
    let (_, rest) = split(stem)?;
    is_uuid(rest).then(|| stem.to_owned())
}

fn rehome(path: &str, to: Destination<'_>) -> Result<String, PlacementError> {
    let (_, rest) = split(path).ok_or(PlacementError::NotOfSession)?;
    // Other folders there contain what the agent trusts, such as its memory.
    let is_own = is_uuid(to.session) && is_of(rest, to.session);
    if !is_own || !is_plain_path(path) {
        return Err(PlacementError::NotOfSession);
    }
    let folder = folder_of(to.project).ok_or(PlacementError::FolderTooLong)?;
    Ok(format!("projects/{folder}/{rest}"))
}

fn is_of(rest: &str, session: &str) -> bool {
    let Some(after) = rest.strip_prefix(session) else { return is_orphan(rest) };
    after == ".jsonl" || after.strip_prefix('/').is_some_and(|it| !it.is_empty())
}

/// Whether it is a sub-agent beside its parent, as versions 2.0 wrote it.
fn is_orphan(rest: &str) -> bool {
    let id = rest.strip_prefix("agent-").and_then(|it| it.strip_suffix(".jsonl"));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|it| it.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "11111111-1111-4111-8111-111111111111";

    #[test]
    fn a_file_goes_below_the_folder_of_its_new_project() {
        let check = |path: &str, project: &str, expected: Result<&str, PlacementError>| {
            let path = path.replace('@', SESSION);
            let got = rehome(&path, Destination { session: SESSION, project });
            assert_eq!(got, expected.map(|it| it.replace('@', SESSION)), "{path}");
        };
        let no = Err(PlacementError::NotOfSession);
        check("projects/-w-app/@.jsonl", "/h/my_app", Ok("projects/-h-my-app/@.jsonl"));
        let worker = "@/subagents/agent-a1.jsonl";
        check(&format!("projects/-w/{worker}"), "/h", Ok(&format!("projects/-h/{worker}")));
        check("projects/-w/@/tool-results/b.txt", "/h", Ok("projects/-h/@/tool-results/b.txt"));
        check("projects/-w/agent-a1.jsonl", "/h", Ok("projects/-h/agent-a1.jsonl"));
        check("projects/-w/22222222-2222-4222-8222-222222222222.jsonl", "/h", no);
        check("projects/-w/memory/MEMORY.md", "/h", no);
        check("projects/-w/@/../memory/MEMORY.md", "/h", no);
        check("projects/-w/@/", "/h", no);
        check("projects/-w/agent-../x.jsonl", "/h", no);
        check("settings.json", "/h", no);
        check("projects/@.jsonl", "/h", no);
        let long = format!("/{}", "a".repeat(300));
        check("projects/-w/@.jsonl", &long, Err(PlacementError::FolderTooLong));
    }

    #[test]
    fn a_session_is_called_by_a_uuid_and_nothing_else() {
        let got = rehome("projects/-w/memory/x", Destination { session: "memory", project: "/h" });
        assert_eq!(got, Err(PlacementError::NotOfSession));
    }

    #[test]
    fn what_stands_beside_a_transcript_is_in_its_folder() {
        let stem = format!("projects/-w/{SESSION}");
        assert_eq!(beside(&format!("{stem}.jsonl")), Some(stem));
        assert_eq!(beside("projects/-w/agent-a1.jsonl"), None);
    }
}
