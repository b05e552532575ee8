//! A request for approval as rules see it.

use std::path::{Path, PathBuf};
use taffrail_api::ApprovalRequestBody;
use taffrail_model::rules::{Request, fields_beside};

/// The files a request names, each as it is named and where it leads.
fn named_files(body: &ApprovalRequestBody) -> Vec<String> {
    let project = body.project.as_deref().map_or(Path::new("/"), Path::new);
    let both = |it: &String| [it.clone(), leads_to(&project.join(it)).display().to_string()];
    body.files.iter().flat_map(both).collect()
}

/// Where a path leads, links and steps upward followed as far as there is something; what is to be made
/// keeps its name.
fn leads_to(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(above), Some(name)) => leads_to(above).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

/// What a request names beside its command, as rules see it.
#[derive(Debug)]
pub(crate) struct RuleRequest {
    files: Vec<String>,
    beside: Vec<String>,
}

impl RuleRequest {
    pub(crate) fn of(body: &ApprovalRequestBody) -> Self {
        let input = body.input.as_ref();
        let mut beside = input.map(|it| fields_beside(&it.fields)).unwrap_or_default();
        // What is not all here may say anything.
        beside.extend(input.filter(|it| it.cut).map(|_| "too much".to_owned()));
        Self { files: named_files(body), beside }
    }

    /// Calls with it what is to be decided.
    pub(crate) fn with<T>(
        &self,
        body: &ApprovalRequestBody,
        what: impl FnOnce(&Request<'_>) -> T,
    ) -> T {
        let files: Vec<_> = self.files.iter().map(String::as_str).collect();
        let beside: Vec<_> = self.beside.iter().map(String::as_str).collect();
        what(&Request {
            tool: &body.tool,
            command: body.command.as_deref(),
            agent: Some(&body.agent),
            project: body.project.as_deref().map(Path::new),
            files: &files,
            beside: &beside,
        })
    }
}
