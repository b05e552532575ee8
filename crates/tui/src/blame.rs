//! Who wrote a line, as text.

use crate::terminal::{clean, fit, line, pad};
use crate::when::Clock;
use taffrail_api::{
    BlameReply, BlamedLine, CommitList, CommitNote, CommitRow, CommitShare, GitNoteRow, NoteList,
    NotedBy, NotedLine,
};

/// The widest line.
const WIDTH: usize = 80;
/// The columns of an agent's name.
const AGENT: usize = 8;
/// The digits of a commit that are shown.
const HASH: usize = 8;
/// The most records that differ, line by line.
const REMARKS: usize = 10;
/// The columns of an age.
const AGE: usize = 6;

/// The file and the line that `FILE[:LINE]` means.
#[must_use]
pub fn parsed(typed: &str) -> (&str, Option<usize>) {
    let line = typed.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    line.map_or((typed, None), |(file, line)| (file, Some(line)))
}

/// A table of lines: number, session, agent, turn and the text of the file.
#[must_use]
pub fn rows(reply: &BlameReply, text: &str) -> Vec<String> {
    let texts: Vec<&str> = text.lines().collect();
    let text_of = |it: &BlamedLine| it.line.checked_sub(1).and_then(|at| texts.get(at));
    let row = |it: &BlamedLine| row(it, text_of(it).copied().unwrap_or_default());
    reply.lines.iter().map(row).collect()
}

fn row(it: &BlamedLine, text: &str) -> String {
    let (id, agent) = match (it.session_id, it.notes.first()) {
        (Some(id), _) => {
            (short(&id.to_string()), it.agent.as_deref().map(first_word).unwrap_or_default())
        }
        (None, Some(note)) => (fit(note.source.as_str(), HASH + 2), named(note)),
        (None, None) => ("not known".to_owned(), String::new()),
    };
    let turn = it.turn.map(|it| it.to_string()).unwrap_or_default();
    let spaced = text.replace('\t', "    ");
    let text = clean(&spaced);
    let head = format!("{:>5}  {} {}{turn:>4}", it.line, pad(&id, HASH + 2), pad(&agent, AGENT));
    fit(&format!("{head}  {text}"), WIDTH).trim_end().to_owned()
}

/// What the rows leave out: lines that only a record of another tool explains, and records that
/// name somebody else than the text shows.
#[must_use]
pub fn remarks(reply: &BlameReply) -> Vec<String> {
    let only = |it: &&BlamedLine| it.session_id.is_none() && !it.notes.is_empty();
    let claimed = match reply.lines.iter().filter(only).count() {
        0 => None,
        count => Some(format!(
            "{}: the name is that of a record of another tool, not of a session's text",
            counted(count)
        )),
    };
    let differs = |it: &BlamedLine| {
        let note = it.notes.iter().find(|it| it.agrees == Some(false))?;
        Some(format!("line {}: {} names {}", it.line, note.source.as_str(), whom(note)))
    };
    let differing = reply.lines.iter().filter_map(differs);
    claimed.into_iter().chain(differing.take(REMARKS)).map(|it| fit(&it, WIDTH)).collect()
}

/// Notes about commits, as they were or would be written.
#[must_use]
pub fn note_rows(list: &NoteList) -> Vec<String> {
    if list.notes.is_empty() {
        return vec!["No commit has lines of a known session.".to_owned()];
    }
    list.notes.iter().flat_map(of_note).collect()
}

/// What was done, and how to do it.
#[must_use]
pub fn note_hint(list: &NoteList) -> Option<String> {
    let new = list.notes.iter().filter(|it| it.note.is_some()).count();
    match (list.written, new) {
        (_, 0) => None,
        (true, _) => Some(format!("written to refs/notes/ai: {new}")),
        (false, _) => Some("nothing is written; write them with --yes".to_owned()),
    }
}

fn of_note(row: &GitNoteRow) -> Vec<String> {
    let hash: String = row.commit.chars().take(HASH).collect();
    let kept = if row.note.is_none() { "  (it has a note, which stays)" } else { "" };
    let head = fit(&format!("{hash}  {}{kept}", line(&row.subject)), WIDTH);
    let text = row.note.as_deref().unwrap_or_default().lines();
    [head].into_iter().chain(text.map(|it| format!("    {}", clean(it)))).collect()
}

/// Whom a note names, in one word.
fn named(note: &NotedLine) -> String {
    match (note.by, note.tool.as_deref()) {
        (NotedBy::Human, _) => "human".to_owned(),
        (NotedBy::Agent | NotedBy::Mixed | NotedBy::Unknown, tool) => {
            tool.map(first_word).unwrap_or_default()
        }
    }
}

fn whom(note: &NotedLine) -> String {
    let session = note.session_id.map(|id| format!("session {}", short(&id.to_string())));
    let name = note.name.as_deref().or(note.tool.as_deref()).map(line);
    session.or(name).unwrap_or_else(|| "somebody else".to_owned())
}

fn counted(lines: usize) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

/// How to open what wrote the first line of a session.
#[must_use]
pub fn hint(reply: &BlameReply) -> Option<String> {
    let first = reply.lines.iter().find(|it| it.session_id.is_some())?;
    let id = short(&first.session_id?.to_string());
    let turn = first.turn.map(|it| format!(", turn {it}")).unwrap_or_default();
    let reason = first.reason.as_deref().map(|it| format!(": {}", line(it))).unwrap_or_default();
    let said = fit(&format!("line {}{turn}{reason}", first.line), WIDTH);
    Some(format!("{said}\nopen it with: taffrail show {id}"))
}

/// Commits, each with the sessions whose lines it holds.
#[must_use]
pub fn commit_rows(list: &CommitList, clock: &Clock) -> Vec<String> {
    if list.commits.is_empty() {
        return vec!["No commits.".to_owned()];
    }
    list.commits.iter().flat_map(|it| of_commit(it, clock)).collect()
}

fn of_commit(commit: &CommitRow, clock: &Clock) -> Vec<String> {
    let hash = commit.commit.chars().take(HASH).collect::<String>();
    let age = clock.age(commit.committed_at);
    let lines = counted(commit.lines);
    let head = format!("{hash} {age:>AGE$}  {lines:>11}  {}", line(&commit.subject));
    let rest = |it: &CommitShare| {
        let title = it.title.as_deref().map(line).unwrap_or_default();
        let (id, agent) = (short(&it.session_id.to_string()), pad(&first_word(&it.agent), AGENT));
        format!("{:>16.0} %  {id} {agent} {title}", it.share * 100.0)
    };
    let known = |it: &&CommitNote| {
        !commit.sessions.iter().any(|session| Some(session.session_id) == it.session_id)
    };
    let noted = |it: &CommitNote| {
        let source = fit(it.source.as_str(), HASH + 4);
        let name = it.name.as_deref().or(it.tool.as_deref()).map(line).unwrap_or_default();
        format!("{:>18}  {source} says {name}: {}", "", counted(it.lines))
    };
    let notes = commit.notes.iter().filter(known).map(noted);
    let rows = [head].into_iter().chain(commit.sessions.iter().map(rest)).chain(notes);
    rows.map(|it| fit(&it, WIDTH).trim_end().to_owned()).collect()
}

fn short(id: &str) -> String {
    id.chars().take(HASH).collect()
}

fn first_word(agent: &str) -> String {
    line(agent.split('-').next().unwrap_or(agent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_api::{LineAuthor, NoteSource};
    use taffrail_model::SessionId;

    fn blamed(number: usize, agent: Option<&str>) -> BlamedLine {
        let id = SessionId::parse("0198c5f2-1111-7111-8111-111111111111").unwrap();
        BlamedLine {
            line: number,
            commit: None,
            by: agent.map_or(LineAuthor::Unknown, |_| LineAuthor::Session),
            session_id: agent.map(|_| id),
            runtime_session_id: agent.map(str::to_owned),
            agent: agent.map(str::to_owned),
            turn: agent.map(|_| 12),
            prompt_event: None,
            reason: agent.map(|_| "trim the\nwick".to_owned()),
            notes: Vec::new(),
            text: None,
        }
    }

    fn note(tool: &str, agrees: Option<bool>) -> NotedLine {
        NotedLine {
            source: NoteSource::GitAi,
            by: NotedBy::Agent,
            name: None,
            tool: Some(tool.to_owned()),
            model: None,
            conversation: None,
            session_id: None,
            agrees,
        }
    }

    #[test]
    fn a_note_is_named_where_no_session_is_known_and_where_it_differs() {
        let unknown = BlamedLine { notes: vec![note("cursor", None)], ..blamed(1, None) };
        let other =
            BlamedLine { notes: vec![note("amp", Some(false))], ..blamed(2, Some("codex")) };
        let lines = vec![unknown, other];
        let reply = BlameReply { schema_version: 1, path: "a".to_owned(), lines };
        let expected =
            ["    1  git-ai     cursor        one", "    2  0198c5f2   codex     12  two"];
        assert_eq!(rows(&reply, "one\ntwo\n"), expected);
        let expected = [
            "1 line: the name is that of a record of another tool, not of a session's text",
            "line 2: git-ai names amp",
        ];
        assert_eq!(remarks(&reply), expected);
    }

    #[test]
    fn notes_are_listed_below_their_commits() {
        let row = |note: Option<&str>| GitNoteRow {
            commit: "ab".repeat(20),
            subject: "trim".to_owned(),
            note: note.map(str::to_owned),
        };
        let notes = vec![row(Some("a.py\n  s_1::t_1 1\n")), row(None)];
        let list = NoteList { schema_version: 1, written: false, notes };
        let expected = [
            "abababab  trim",
            "    a.py",
            "      s_1::t_1 1",
            "abababab  trim  (it has a note, which stays)",
        ];
        assert_eq!(note_rows(&list), expected);
        assert_eq!(note_hint(&list).as_deref(), Some("nothing is written; write them with --yes"));
    }

    #[test]
    fn a_file_and_its_line_are_told_apart() {
        assert_eq!(parsed("src/a.rs:12"), ("src/a.rs", Some(12)));
        assert_eq!(parsed("src/a.rs"), ("src/a.rs", None));
        assert_eq!(parsed("a:b"), ("a:b", None));
    }

    #[test]
    fn every_line_fits_80_columns() {
        let lines = vec![blamed(1, Some("claude-code")), blamed(2, None)];
        let reply = BlameReply { schema_version: 1, path: "a".to_owned(), lines };
        let text = format!("\tlamp({})\nby \u{1b}[31mhand\n", "wick, ".repeat(20));
        let expected = [
            "    1  0198c5f2   claude    12      lamp(wick, wick, wick, wick, wick, wick, wi…",
            "    2  not known                by \u{fffd}[31mhand",
        ];
        let rows = rows(&reply, &text);
        assert_eq!(rows[0].chars().count(), WIDTH);
        assert_eq!(rows, expected);
        let said = "line 1, turn 12: trim the wick\nopen it with: taffrail show 0198c5f2";
        assert_eq!(hint(&reply).as_deref(), Some(said));
    }
}
