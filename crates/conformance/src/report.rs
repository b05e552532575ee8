//! What a check of documents found.

use crate::documents::Document;
use crate::error::KitError;
use serde::Serialize;
use std::path::Path;
use taffrail_contracts::{Contract, Fault, Report, Strictness, validate_text};

/// The faults and warnings of all documents.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Every document conforms.
    pub valid: bool,
    /// How many documents were read.
    pub documents: usize,
    /// How many of them have a fault.
    #[serde(skip)]
    pub failing: usize,
    /// What does not conform.
    pub faults: Vec<Placed>,
    /// What conforms, and should be otherwise.
    pub warnings: Vec<Placed>,
}

/// A fault, and in which document.
#[derive(Debug, Serialize)]
pub struct Placed {
    /// The file, where a folder was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, where every line is a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
}

/// Checks every document against its contract.
#[must_use]
pub fn check_documents(
    contract: &Contract,
    documents: &[Document],
    strictness: Strictness,
) -> Checked {
    let mut checked = Checked::empty(documents.len());
    for document in documents {
        checked.add(document, validate_text(contract, &document.text, strictness));
    }
    checked
}

/// Checks a directory, a feature in it, or one of its files; `-` is stdin.
///
/// # Errors
/// Nothing readable is at the path.
pub fn check_directory(path: &Path, strictness: Strictness) -> Result<Checked, KitError> {
    let report = if path == Path::new("-") {
        let text = std::io::read_to_string(std::io::stdin()).map_err(KitError::at(path))?;
        taffrail_workspace::validate_text("", &text, strictness)
    } else {
        taffrail_workspace::validate_path(path, strictness)?
    };
    let mut checked = Checked::empty(1);
    checked.add(&Document { file: None, line: None, text: String::new() }, report);
    Ok(checked)
}

impl Checked {
    fn empty(documents: usize) -> Self {
        Self { valid: true, documents, failing: 0, faults: Vec::new(), warnings: Vec::new() }
    }

    fn add(&mut self, document: &Document, report: Report) {
        let is_valid = report.is_valid();
        self.valid &= is_valid;
        self.failing += usize::from(!is_valid);
        let placed = |fault| Placed { file: document.file.clone(), line: document.line, fault };
        self.faults.extend(report.faults.into_iter().map(placed));
        self.warnings.extend(report.warnings.into_iter().map(placed));
    }
}
