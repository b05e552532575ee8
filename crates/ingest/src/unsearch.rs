//! Removes sessions from search.

use taffrail_context::{Error, Settings};
use taffrail_store::Writer;
use taffrail_store::search::{Load, SearchReader, SearchWriter};

/// Removes sessions from search and merges the segments that held them.
pub(crate) fn unsearch(settings: &Settings, writer: &Writer, rows: &[i64]) -> Result<(), Error> {
    let born = writer.born()?;
    let known = SearchReader::open(&settings.data).map(|it| (it.stand().clone(), it.meaning()));
    let Some((stand, meaning)) = known.filter(|(it, _)| it.born == born) else {
        // A search index that cannot be read, or that belongs to another index, may still hold
        // their words.
        return Ok(SearchWriter::throw_away(&settings.data)?);
    };
    let mut search = SearchWriter::open(&settings.data, &born, (Load::Steady, meaning))?;
    rows.iter().for_each(|row| search.remove_session(*row));
    search.commit(stand.change)?;
    search.purge()?;
    Ok(search.finish()?)
}
