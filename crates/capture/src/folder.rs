//! Reads a source that is a folder of small files: the file that names it, then each file of the folder.

use crate::discovery::folder_beside;
use crate::open_below;
use crate::pass::{Reading, SourcePass};
use crate::plan::Job;
use crate::sink::Taker;
use std::io::{self, Read};
use std::path::Path;
use taffrail_adapters::FolderPlan;
use taffrail_model::observed::Pass;
use taffrail_model::{Cursor, Record};

/// The most files of one folder that are read.
const MOST_FILES: usize = 100_000;
/// The largest of these files that is read.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// Reads the whole source. The row of a file is named by its path beside the source.
pub(crate) fn read(
    job: &Job,
    plan: &FolderPlan,
    how: Reading<'_>,
    taker: &mut dyn Taker,
) -> io::Result<()> {
    let home = Path::new(&job.found.home);
    let mut source_pass = SourcePass::begin(job, "", Pass::Again, how);
    let members = names(home, &folder_beside(&job.found.path, plan.folder), plan.ending)?;
    let rows = members.iter().map(|name| format!("{}/{name}", plan.folder));
    for (number, row) in (0..).zip(std::iter::once(String::new()).chain(rows)) {
        match row_bytes(home, &job.found.path, &row)? {
            Some(bytes) if is_json(&bytes) => {
                taker.row(&row, number, &bytes);
                source_pass.collector.outcome.bytes_read += bytes.len() as u64;
                let at = Cursor::Row { table: row, rowid: number };
                source_pass.record(&Record { bytes: &bytes, at });
            }
            // A file that is being written is read once it is whole.
            _ => source_pass.collector.outcome.skipped_records += 1,
        }
    }
    taker.piece(source_pass.end());
    Ok(())
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

fn names(home: &Path, folder: &str, ending: &str) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(home.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let mut names: Vec<_> = names.filter(|it| it.ends_with(ending)).take(MOST_FILES).collect();
    names.sort();
    Ok(names)
}

/// The bytes of one row; `None` if the file is gone or too large.
pub(crate) fn row_bytes(home: &Path, source: &str, row: &str) -> io::Result<Option<Vec<u8>>> {
    let path = if row.is_empty() { source.to_owned() } else { folder_beside(source, row) };
    let file = match open_below(home, &path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= FILE_LIMIT).then_some(bytes))
}
