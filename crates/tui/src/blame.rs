//! Who wrote a line, as text.

use crate::terminal::{clean, fit, line, pad};
use crate::when::Clock;
use taffrail_api::{BlameReply, BlamedLine, CommitList, CommitRow, CommitShare};

/// The widest line.
const WIDTH: usize = 80;
/// The columns of an agent's name.
const AGENT: usize = 8;
/// The digits of a commit that are shown.
const HASH: usize = 8;
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
    let id = it.session_id.map_or_else(|| "not known".to_owned(), |id| short(&id.to_string()));
    let agent = it.agent.as_deref().map(first_word).unwrap_or_default();
    let turn = it.turn.map(|it| it.to_string()).unwrap_or_default();
    let spaced = text.replace('\t', "    ");
    let text = clean(&spaced);
    let head = format!("{:>5}  {} {}{turn:>4}", it.line, pad(&id, HASH + 2), pad(&agent, AGENT));
    fit(&format!("{head}  {text}"), WIDTH).trim_end().to_owned()
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
    let lines = match commit.lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let head = format!("{hash} {age:>AGE$}  {lines:>11}  {}", line(&commit.subject));
    let rest = |it: &CommitShare| {
        let title = it.title.as_deref().map(line).unwrap_or_default();
        let (id, agent) = (short(&it.session_id.to_string()), pad(&first_word(&it.agent), AGENT));
        format!("{:>16.0} %  {id} {agent} {title}", it.share * 100.0)
    };
    let rows = [head].into_iter().chain(commit.sessions.iter().map(rest));
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
    use taffrail_api::LineAuthor;
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
            reason: agent.map(|_| "trim the\nwick".to_owned()),
        }
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
