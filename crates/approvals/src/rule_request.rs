//! A request for approval as rules see it.

use std::path::{Path, PathBuf};
use taffrail_api::ApprovalRequestBody;
use taffrail_model::rules::{Request, fields_beside};

/// The files a request names, each as written and as resolved.
fn named_files(body: &ApprovalRequestBody) -> Vec<String> {
    let project = body.project.as_deref().map_or(Path::new("/"), Path::new);
    let both = |it: &String| [it.clone(), leads_to(&project.join(it)).display().to_string()];
    body.files.iter().flat_map(both).collect()
}

/// Resolves a path: follows links and `..` as far as the path exists, and keeps the name of a file
/// that does not exist yet.
fn leads_to(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(above), Some(name)) => leads_to(above).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

/// What a request names besides its command, as rules see it.
#[derive(Debug)]
pub(crate) struct RuleRequest {
    files: Vec<String>,
    beside: Vec<String>,
}

impl RuleRequest {
    pub(crate) fn of(body: &ApprovalRequestBody) -> Self {
        let input = body.input.as_ref();
        let mut beside = input.map(|it| fields_beside(&it.fields)).unwrap_or_default();
        // A truncated input may contain anything.
        beside.extend(input.filter(|it| it.cut).map(|_| "too much".to_owned()));
        Self { files: named_files(body), beside }
    }

    /// Calls a function with the request to decide.
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
