//! The tools `search` and `changed`.

use crate::page::Page;
use crate::query::{Question, Refusal};
use crate::text::{cited, plain, quoted_line, quoted_snippet};
use std::collections::HashSet;
use std::sync::PoisonError;
use taffrail_api::{SearchHit, SearchReply};

/// How many hits of one query are shown at most.
const MOST: usize = 200;
/// How many are asked for at first, some three pages: few agents turn more, and each hit costs a look into its source.
const FIRST: usize = 24;

/// Finds what was said.
pub(crate) fn search(question: &Question) -> Result<String, Refusal> {
    let query = question.given.required("query")?;
    let (offset, reply) = found(question, &query)?;
    Ok(hits(question, &reply, offset))
}

/// Finds the calls that name a file. Agents write a path in several ways: the first that is found
/// counts.
pub(crate) fn changed(question: &Question) -> Result<String, Refusal> {
    let path = question.given.required("path")?;
    for written in spellings(&path, &question.here) {
        let (offset, reply) = found(question, &format!("file:\"{written}\""))?;
        if reply.total > 0 {
            return Ok(hits(question, &reply, offset));
        }
    }
    Err(Refusal(format!("no session is known to have touched `{path}`")))
}

/// A path as given, below the current folder, and by its last two parts.
fn spellings(path: &str, here: &str) -> Vec<String> {
    let path = path.strip_prefix("./").unwrap_or(path).replace('"', " ");
    let below = path.strip_prefix(here).and_then(|it| it.strip_prefix('/')).map(str::to_owned);
    let mut last: Vec<_> = path.rsplit('/').take(2).collect();
    last.reverse();
    let mut out: Vec<_> =
        [Some(path.clone()), below, Some(last.join("/"))].into_iter().flatten().collect();
    out.dedup();
    out.retain(|it| !it.trim().is_empty());
    out
}

/// Where the page starts, and the hits of a query. Scores change with time, so that the next page
/// of a new search could repeat a hit or miss one: pages are of the search that the first began.
fn found(question: &Question, query: &str) -> Result<(usize, SearchReply), Refusal> {
    let offset = question.given.offset()?;
    let last = || question.last.lock().unwrap_or_else(PoisonError::into_inner);
    let has_page = |reply: &SearchReply| offset > 0 && !has_more(reply, offset);
    if let Some((_, reply)) = last().as_ref().filter(|(asked, it)| asked == query && has_page(it)) {
        return Ok((offset, reply.clone()));
    }
    let mut reply = ask(question, query, if offset == 0 { FIRST } else { MOST })?;
    if let Some((_, shown)) = last().take().filter(|(asked, _)| offset > 0 && asked == query) {
        reply.hits = behind(shown.hits, reply.hits);
    }
    if reply.total > 0 {
        *last() = Some((query.to_owned(), reply.clone()));
    }
    Ok((offset, reply))
}

/// The hits that were shown, and behind them the others of a later search.
fn behind(shown: Vec<SearchHit>, later: Vec<SearchHit>) -> Vec<SearchHit> {
    let known: HashSet<_> = shown.iter().map(|it| it.event_id).collect();
    let new = later.into_iter().filter(|it| !known.contains(&it.event_id));
    shown.into_iter().chain(new).take(MOST).collect()
}

/// Whether hits from a number on were not asked for yet.
fn has_more(reply: &SearchReply, offset: usize) -> bool {
    let known = reply.hits.len();
    offset >= known && known < MOST && reply.total > known as u64
}

/// Asks for the best hits of a query.
pub(crate) fn ask(question: &Question, query: &str, limit: usize) -> Result<SearchReply, Refusal> {
    let (limit, here) = (limit.to_string(), question.here.as_str());
    question.get("/api/search", &[("q", query), ("limit", &limit), ("here", here)])
}

/// A page of hits, from a number on.
fn hits(question: &Question, reply: &SearchReply, offset: usize) -> String {
    let mut page = Page::new(question.fence.clone(), &head(question, reply));
    let mut more = None;
    for (number, hit) in reply.hits.iter().enumerate().skip(offset) {
        if question.hidden.hides_hit(hit) {
            continue;
        }
        if !page.add(&format!("{}. {}", number + 1, place(hit)), &said(hit)) {
            more = Some(number);
            break;
        }
    }
    let known = reply.hits.len();
    // An empty page leads nowhere, whatever was counted.
    more = more.or_else(|| (known > offset && has_more(reply, known)).then_some(known));
    let is_cut = more.is_none() && reply.total > known as u64;
    let remark = is_cut.then_some("Only the best 200 hits are shown: narrow the query.");
    page.end(remark, more.map(|it| it.to_string()).as_deref())
}

/// How much was found, without what is left out.
fn head(question: &Question, reply: &SearchReply) -> String {
    let shown = reply.hits.iter().filter(|it| !question.hidden.hides_hit(it)).count();
    let hits = if shown == 1 { "hit" } else { "hits" };
    let best = if reply.total > reply.hits.len() as u64 { "the best " } else { "" };
    let partial = match reply.partial {
        true => " Not everything on disk was searched.",
        false => "",
    };
    format!("{best}{shown} {hits}, the best first.{partial}")
}

/// Where a hit is: all words are ours.
pub(crate) fn place(hit: &SearchHit) -> String {
    let turn = hit.turn_id.map(|it| format!(" turn {it}")).unwrap_or_default();
    let (agent, kind) = (plain(&hit.agent), plain(hit.kind.as_str()));
    let cite = cited(&hit.source_uri, &hit.source_cursor);
    format!("session {}{turn} {agent} {kind} {:.0}\n{cite}", hit.session_id, hit.created_at)
}

/// What a hit says: all words are the transcript's.
pub(crate) fn said(hit: &SearchHit) -> String {
    let title = hit.title.as_deref().map(|it| quoted_line(it, 100));
    let project = hit.project_path.as_deref().map(|it| format!("in {}", quoted_line(it, 120)));
    let head: Vec<_> = [title, project].into_iter().flatten().collect();
    let gap = if head.is_empty() { "" } else { "\n" };
    format!("{}{gap}{}", head.join(" "), quoted_snippet(&hit.snippet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use taffrail_model::EventId;

    fn reply(hits: usize, total: u64) -> SearchReply {
        let hit = json!({
            "session_id": "00000000-0000-4000-8000-000000000000", "event_id": format!("{:032x}", 1),
            "turn_id": null, "kind": "tool.result", "created_at": "2026-11-18T10:00:00Z",
            "snippet": "x", "matches": [], "stale": false, "agent": "a", "device": null,
            "title": null, "project_path": "/p", "source_uri": "a:b",
            "source_cursor": {"byte_offset": 0, "length": 1}, "score": 1.0,
        });
        let hits = vec![hit; hits];
        let reply = json!({"schema_version": 1, "total": total, "total_is_at_least": false,
            "partial": false, "hits": hits});
        serde_json::from_value(reply).unwrap()
    }

    #[test]
    fn a_search_with_more_hits_than_are_asked_for_at_first_was_cut_to_those() {
        assert!(has_more(&reply(FIRST, 120), FIRST));
        assert!(!has_more(&reply(FIRST, 120), FIRST - 1));
        assert!(!has_more(&reply(FIRST, 24), FIRST));
        assert!(!has_more(&reply(120, 120), 120));
        assert!(!has_more(&reply(MOST, 500), MOST));
    }

    #[test]
    fn a_hit_was_missing_where_a_later_search_ranked_it_among_those_shown() {
        let hit = |number: u8| {
            let mut hit = reply(1, 1).hits.remove(0);
            hit.event_id = EventId::parse(&format!("{number:032x}")).unwrap();
            hit
        };
        let all = |numbers: &[u8]| numbers.iter().map(|it| hit(*it)).collect::<Vec<_>>();
        // The second of those shown fell behind the third.
        assert_eq!(behind(all(&[1, 2]), all(&[1, 3, 2, 4])), all(&[1, 2, 3, 4]));
    }

    #[test]
    fn a_path_is_looked_for_as_agents_write_it() {
        let check = |path: &str, expected: &[&str]| assert_eq!(spellings(path, "/p"), expected);
        check("/p/src/a/lib.rs", &["/p/src/a/lib.rs", "src/a/lib.rs", "a/lib.rs"]);
        check("./lib.rs", &["lib.rs"]);
        check("/q/lib.rs", &["/q/lib.rs", "q/lib.rs"]);
    }
}
