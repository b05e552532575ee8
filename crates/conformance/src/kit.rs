//! The documents of the kit: those that people wrote are carried inside the program, the others are
//! generated.

use crate::error::KitError;
use rust_embed::RustEmbed;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use taffrail_contracts::kit::{Entry, WHOLE, entries, generated};
use taffrail_contracts::{ALL, Contract};

/// The version of the manifest.
const VERSION: u32 = 1;
/// The name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// The documents that people wrote.
#[derive(RustEmbed)]
#[folder = "../../docs/conformance/"]
struct Written;

/// Writes every document and the manifest below a folder; returns the entries of the manifest.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path) -> Result<Vec<Entry>, KitError> {
    let documents = documents()?;
    for (path, bytes) in &documents {
        put(&folder.join(path), bytes)?;
    }
    let entries = entries(documents.keys().map(String::as_str));
    put(&folder.join(MANIFEST), manifest(&entries).as_bytes())?;
    Ok(entries)
}

fn put(file: &Path, bytes: &[u8]) -> Result<(), KitError> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(KitError::at(folder))?;
    std::fs::write(file, bytes).map_err(KitError::at(file))
}

/// A temporary folder for documents.
pub(crate) fn temporary() -> Result<tempfile::TempDir, KitError> {
    tempfile::tempdir().map_err(KitError::at(&std::env::temp_dir()))
}

/// The text of the manifest with these entries.
fn manifest(entries: &[Entry]) -> String {
    let manifest = json!({ "manifest_version": VERSION, "documents": entries });
    format!("{manifest:#}\n")
}

/// Every file of the kit by its path. A written document takes the place of a generated one.
fn documents() -> Result<BTreeMap<String, Cow<'static, [u8]>>, KitError> {
    let mut all = BTreeMap::new();
    for contract in ALL {
        let made = made(contract)?;
        all.extend(made.into_iter().map(|(path, text)| (path, Cow::Owned(text.into_bytes()))));
    }
    for path in Written::iter().filter(|it| it != MANIFEST) {
        let file = Written::get(&path).ok_or_else(|| missing(&path))?;
        all.insert(path.into_owned(), file.data);
    }
    Ok(all)
}

fn made(contract: &Contract) -> Result<Vec<(String, String)>, KitError> {
    let path = format!("{}/{WHOLE}", contract.name);
    let Some(whole) = Written::get(&path) else { return Ok(Vec::new()) };
    let whole: Value = serde_json::from_slice(&whole.data).map_err(|_| missing(&path))?;
    Ok(generated(contract, &whole))
}

fn missing(path: &str) -> KitError {
    KitError::NotCarried(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The manifest of the repository lists what people wrote. `UPDATE_GOLDEN=1` writes it again.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the user asks for new goldens by the environment"
    )]
    fn the_manifest_of_the_repository_lists_every_written_document() {
        let paths: Vec<_> = Written::iter().collect();
        let expected = manifest(&entries(paths.iter().map(AsRef::as_ref)));
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance").join(MANIFEST);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
    }

    #[test]
    fn the_kit_has_a_document_for_every_rule_of_every_contract() {
        let documents = documents().unwrap();
        let entries = entries(documents.keys().map(String::as_str));
        for contract in ALL {
            let own = entries.iter().filter(|it| it.contract == contract.name);
            let about: BTreeSet<_> = own.filter_map(|it| it.rule.clone()).collect();
            let rules = taffrail_contracts::rules(contract);
            let bare: Vec<_> = rules.iter().filter(|(rule, _)| !about.contains(rule)).collect();
            // Six kinds of document in a directory are told apart by the field that is missing.
            let most = if contract.name == "ai-session" { 7 } else { 0 };
            assert!(bare.len() <= most, "{}: {bare:?}", contract.name);
        }
        assert!(entries.len() > 400, "{}", entries.len());
    }

    #[test]
    fn what_is_generated_is_not_also_in_the_repository() {
        let same = |contract: &Contract| made(contract).unwrap().into_iter();
        let same = ALL
            .iter()
            .flat_map(same)
            .filter(|(path, text)| Written::get(path).is_some_and(|it| it.data == text.as_bytes()));
        assert_eq!(same.map(|it| it.0).collect::<Vec<_>>(), [""; 0]);
    }
}
