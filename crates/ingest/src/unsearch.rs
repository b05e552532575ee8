//! Taking sessions out of search.

use taffrail_context::{Error, Settings};
use taffrail_store::Writer;
use taffrail_store::search::{Load, SearchReader, SearchWriter};

/// Takes sessions out of search and merges what held them.
pub(crate) fn unsearch(settings: &Settings, writer: &Writer, rows: &[i64]) -> Result<(), Error> {
    let born = writer.born()?;
    let stand = SearchReader::open(&settings.data).map(|it| it.stand().clone());
    let Some(stand) = stand.filter(|it| it.born == born) else {
        // What cannot be read or is of another index may hold their words all the same.
        return Ok(SearchWriter::throw_away(&settings.data)?);
    };
    let mut search = SearchWriter::open(&settings.data, &born, Load::Steady)?;
    rows.iter().for_each(|row| search.remove_session(*row));
    search.commit(stand.change)?;
    search.purge()?;
    Ok(search.finish()?)
}
