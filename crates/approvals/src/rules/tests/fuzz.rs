//! Damaged rules files: an unreadable file allows nothing, and a repository only ever restricts.
//!
//! `TAFFRAIL_FULL=1` tries many, `TAFFRAIL_SEED` chooses which.

use super::*;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 1_500, full: 100_000 };

const SEEDS: &[&str] = &[
    "version = 1\n\n[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\ncommand = \"make *\"\n\n\
     [[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"git push *\"\n",
    "# Mine.\nversion = 1\n[[rule]]\ndecision = \"deny\" # never\ntool = \"*\"\nproject = \"~/repo\"\n\
     [[rule]]\ndecision = \"ask\"\ntool = \"Write\"\nagent = \"codex\"\n\
     [[rule]]\ndecision = \"allow\"\ntool = \"*\"\ncommand = '*'\n",
    "rule = [{decision = \"allow\", tool = \"Bash\", command = \"*\"},\n\
     {decision = \"deny\", tool = \"Bash\", command = \"make *\"}]\nversion = 1\n",
    "version = 1\n[[rule]]\ndecision = '''allow'''\ntool = \"Bash\"\ncommand = \"\"\"make 'a b'\"\"\"\n",
];

const WORDS: &[&str] = &[
    "\n[[rule]]\n",
    "[rule]",
    "[rule.x]",
    "version = 1\n",
    "version = 2\n",
    "version = \"1\"\n",
    "rule = []\n",
    "decision = \"allow\"\n",
    "decision = \"deny\"\n",
    "decision = \"ask\"\n",
    "\"\\u0064ecision\" = \"deny\"\n",
    "tool = \"*\"\n",
    "tool = \"Bash\"\n",
    "command = \"*\"\n",
    "command = \"make *\"\n",
    "command = 7\n",
    "agent = \"nobody\"\n",
    "project = \"~\"\n",
    "project = \"..\"\n",
    "project = \"/\"\n",
    "{}",
    "{},",
    "'''",
    "\"\"\"",
    "\\u0061",
    "allow",
    "deny",
    "=",
    ".",
    "#",
    "inf",
    "2026-11-15T10:00:00Z",
];

const ASKED: &[&str] =
    &["make x", "git push", "git push origin main", "rm -rf /", "make x && git push"];

#[test]
fn a_damaged_file_of_the_user_that_cannot_be_read_allows_nothing() {
    let taken = fuzz("rules").run(COUNTS, |input| check_user(&String::from_utf8_lossy(input)));
    assert!(taken > 0, "{taken} files could be read");
}

#[test]
fn a_damaged_file_of_a_repository_only_takes_away() {
    let taken =
        fuzz("policy").run(COUNTS, |input| check_repository(&String::from_utf8_lossy(input)));
    assert!(taken > 0, "{taken} files took something away");
}

#[test]
fn the_rules_of_a_repository_are_counted_however_they_are_written() {
    let place = Place::new();
    place.user(ALLOW);
    let rule = r#"{"\u0064ecision" = "deny", tool = "Bash", command = "dd"},"#;
    place.repository("", &format!("rule = [{}]", rule.repeat(REPOSITORY_RULES)));
    assert_eq!((place.faults(), place.decided("make x")), (Vec::new(), Decision::Allow));
    place.repository("", &format!("rule = [{}]", rule.repeat(REPOSITORY_RULES + 1)));
    assert_eq!((place.faults().len(), place.decided("make x")), (1, Decision::Ask));
}

#[test]
fn a_rule_put_into_a_damaged_file_is_read_back_and_the_others_stay() {
    let place = Place::new();
    let counts = Counts { slice: COUNTS.slice / 3, full: COUNTS.full / 10 };
    let taken =
        fuzz("edit").run(counts, |input| check_edit(&place, &String::from_utf8_lossy(input)));
    assert!(taken > 0, "{taken} files could be added to");
}

fn fuzz(name: &'static str) -> Fuzz {
    Fuzz::of(name, SEEDS.iter().copied()).with_words(WORDS)
}

/// The rule book of these texts, without files.
fn book(user: &str, repository: Option<&str>) -> RuleBook {
    let home = Path::new("/nowhere");
    let mut book = RuleBook::default();
    let user = Read::Text(user.to_owned());
    book.take(Path::new("/nowhere/rules.toml"), Origin::User, user, home);
    if let Some(text) = repository {
        let read = Read::Text(text.to_owned());
        book.take(Path::new("/nowhere/policy.toml"), Origin::Repository, read, home);
    }
    book
}

fn decisions(book: &RuleBook) -> Vec<Decision> {
    let asked = |command| Request {
        tool: "Bash",
        command: Some(command),
        agent: Some("codex"),
        project: Some(Path::new("/nowhere/repo")),
        ..Request::default()
    };
    ASKED.iter().map(|it| decide(&asked(it), &book.rules).decision).collect()
}

fn check_user(text: &str) -> Took {
    let read = book(text, None);
    assert_eq!(book(text, None), read, "it is read otherwise the second time");
    let is_allowed = decisions(&read).contains(&Decision::Allow);
    let holds_back = read.faults.iter().any(|it| it.holds_back);
    assert!(!(is_allowed && holds_back), "allowed although something cannot be read: {read:?}");
    Took::from(file::entries(text).is_ok())
}

fn check_repository(text: &str) -> Took {
    let user = SEEDS[0];
    let (without, with) = (decisions(&book(user, None)), decisions(&book(user, Some(text))));
    let is_kept = without.iter().zip(&with).all(|(before, after)| after >= before);
    assert!(is_kept, "{without:?} became {with:?}");
    Took::from(without != with)
}

fn check_edit(place: &Place, text: &str) -> Took {
    place.user(text);
    let before = place.book();
    let Ok(proposed) = propose(&place.settings, &typed("deny", "dd *")) else { return Took::No };
    place.user(&proposed.after);
    let after = place.book();
    assert_eq!(after.faults, before.faults, "{}", proposed.after);
    let added = after.rules.iter().filter(|it| it.text == proposed.rule.text).count();
    assert!(added > 0, "{}", proposed.after);
    assert_eq!(after.rules[..before.rules.len()], before.rules, "{}", proposed.after);
    Took::Yes
}
