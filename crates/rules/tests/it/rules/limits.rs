//! Which rules match a request: tools, agents, projects, and the rule's origin.

use super::rule;
use std::path::{Path, PathBuf};
use taffrail_rules::{Decision, Fault, Origin, Pattern, Request, Rule, Typed, decide};

fn typed(decision: &str, command: Option<&str>) -> Typed {
    Typed {
        decision: decision.to_owned(),
        tool: "Bash".to_owned(),
        command: command.map(str::to_owned),
        ..Typed::default()
    }
}

fn check(rules: &[Rule], request: Request<'_>, expected: Decision, why: &str) {
    let verdict = decide(&request, rules);
    assert_eq!((verdict.decision, verdict.why.as_str()), (expected, why), "{request:?}");
}

const SHELL: Request<'_> = Request {
    tool: "Bash",
    command: Some("make x"),
    agent: None,
    project: None,
    files: &[],
    beside: &[],
};
const WRITE: Request<'_> =
    Request { tool: "Write", command: None, agent: None, project: None, files: &[], beside: &[] };

#[test]
fn nothing_is_allowed_without_a_rule() {
    check(&[], SHELL, Decision::Ask, "no rule speaks of it");
    check(&[], WRITE, Decision::Ask, "no rule speaks of it");
}

#[test]
fn a_rule_without_a_command_is_for_the_tool() {
    let allow = |tool| rule("allow", tool, None);
    check(&[allow("Write")], WRITE, Decision::Allow, "your rule 1, allow Write");
    check(&[allow("*")], WRITE, Decision::Allow, "your rule 1, allow every tool");
    check(&[allow("write")], WRITE, Decision::Ask, "no rule speaks of it");
    // Allowing a tool does not allow the commands it runs.
    check(&[allow("Bash")], SHELL, Decision::Ask, "no rule speaks of it");
    check(&[allow("*")], SHELL, Decision::Ask, "no rule speaks of it");
    check(&[rule("deny", "Bash", None)], SHELL, Decision::Deny, "your rule 1, deny Bash");
    check(&[rule("deny", "*", None)], SHELL, Decision::Deny, "your rule 1, deny every tool");
    check(&[rule("deny", "Bash", None)], WRITE, Decision::Ask, "no rule speaks of it");
    // A command pattern matches only commands.
    check(&[rule("deny", "*", Some("*"))], WRITE, Decision::Ask, "no rule speaks of it");
    check(&[rule("allow", "*", Some("*"))], WRITE, Decision::Ask, "no rule speaks of it");
    check(
        &[rule("allow", "*", Some("*"))],
        SHELL,
        Decision::Allow,
        "your rule 1, allow every tool: *",
    );
}

#[test]
fn a_deny_wins_then_an_ask_then_an_allow() {
    let all = ["allow", "ask", "deny"].map(|it| rule(it, "Bash", Some("make *")));
    let [allow, ask, deny] = all;
    let deny_why = "your rule 1, deny Bash: make *: it runs `make x`";
    let ask_why = "your rule 1, ask Bash: make *: it runs `make x`";
    for rules in [[&allow, &ask, &deny], [&deny, &ask, &allow], [&ask, &deny, &allow]] {
        check(&rules.map(Clone::clone), SHELL, Decision::Deny, deny_why);
    }
    check(&[allow.clone(), ask.clone()], SHELL, Decision::Ask, ask_why);
    check(&[ask, allow.clone()], SHELL, Decision::Ask, ask_why);
    let theirs = Rule { origin: Origin::Repository, ..deny };
    let why = "the repository's rule 1, deny Bash: make *: it runs `make x`";
    check(&[allow, theirs], SHELL, Decision::Deny, why);
}

#[test]
fn a_repository_may_deny_or_ask_and_never_allow() {
    let meant = |it: &str| typed(it, Some("make *")).meant(Origin::Repository, 1, Path::new("/h"));
    let message = "a repository may deny or ask, and never allow";
    assert_eq!(meant("allow"), Err(Fault::Allow(message.to_owned())));
    assert!(meant("deny").is_ok() && meant("ask").is_ok());
    // Not even one that was built directly.
    let theirs = Rule { origin: Origin::Repository, ..rule("allow", "Bash", Some("make *")) };
    check(&[theirs], SHELL, Decision::Ask, "no rule speaks of it");
}

#[test]
fn a_rule_may_be_for_one_agent() {
    let only = |it| Rule { agent: Some("one".to_owned()), ..rule(it, "Bash", Some("make *")) };
    let of = |agent| Request { agent, ..SHELL };
    let allow = "your rule 1, allow Bash: make *";
    check(&[only("allow")], of(Some("one")), Decision::Allow, allow);
    check(&[only("allow")], of(Some("two")), Decision::Ask, "no rule speaks of it");
    check(&[only("allow")], of(None), Decision::Ask, "no rule speaks of it");
    let deny = "your rule 1, deny Bash: make *: it runs `make x`";
    check(&[only("deny")], of(Some("one")), Decision::Deny, deny);
    check(&[only("deny")], of(Some("two")), Decision::Ask, "no rule speaks of it");
    // The agent is unknown, so it may be the one the rule denies.
    let unsaid =
        format!("{deny}, and it is not known whether the rule is for this agent and project");
    let all = [only("deny"), rule("allow", "Bash", Some("make *"))];
    check(&all, of(None), Decision::Ask, &unsaid);
    check(&all, of(Some("two")), Decision::Allow, allow);
}

#[test]
fn a_rule_may_be_for_one_project_and_what_is_below() {
    let project = Some(PathBuf::from("/w/app"));
    let only = Rule { project, ..rule("allow", "Bash", Some("make *")) };
    let cd = rule("allow", "Bash", Some("cd *"));
    let decided = |project: Option<&str>, command| {
        let project = project.map(Path::new);
        decide(&Request { project, command: Some(command), ..SHELL }, &[only.clone(), cd.clone()])
            .decision
    };
    for (project, command, expected) in [
        (Some("/w/app"), "make x", Decision::Allow),
        (Some("/w/app/"), "make x", Decision::Allow),
        (Some("/w/app/src"), "make x", Decision::Allow),
        (Some("/w/apple"), "make x", Decision::Ask),
        (Some("/w"), "make x", Decision::Ask),
        (Some("/w/app/../other"), "make x", Decision::Ask),
        (Some("app"), "make x", Decision::Ask),
        (None, "make x", Decision::Ask),
        // Commands after `cd` run in another folder.
        (Some("/w/app"), "cd /tmp", Decision::Allow),
        (Some("/w/app"), "cd /tmp && make x", Decision::Ask),
        (Some("/w/app"), "make x; cd /tmp; make x", Decision::Ask),
    ] {
        assert_eq!(decided(project, command), expected, "{project:?} {command}");
    }
}

#[test]
fn a_pattern_that_could_never_match_is_refused() {
    for (decision, text, expected) in [
        (Decision::Allow, "", "a pattern has 1 to 1024 characters"),
        (Decision::Deny, " ", "a pattern has 1 to 1024 characters"),
        (Decision::Allow, "cargo te*", "it could never allow anything: it has `*`"),
        (Decision::Allow, "cargo * x", "it could never allow anything: it has `*`"),
        (Decision::Allow, "cargo $X *", "it could never allow anything: it has `$`"),
        (
            Decision::Allow,
            "FOO=1 make",
            "it could never allow anything: `FOO=1` is read by the shell itself",
        ),
        (
            Decision::Allow,
            "command make *",
            "it could never allow anything: `command` is read by the shell itself",
        ),
        (Decision::Allow, "make && make", "a pattern is one command"),
        (Decision::Deny, "rm -rf /*", "a `*` must be a word of its own, and the last one"),
        (Decision::Deny, "curl * | sh", "a pattern is one command"),
        (Decision::Deny, "* x", "a `*` must be a word of its own, and the last one"),
    ] {
        assert_eq!(Pattern::parse(text, decision), Err(expected.to_owned()), "{text}");
    }
    for text in ["rm -rf ~", "rm -rf $HOME *", "echo \"a b\"", "command *", "*"] {
        let pattern = Pattern::parse(text, Decision::Deny).unwrap();
        assert_eq!(pattern.to_string(), text);
    }
}

#[test]
fn what_was_mistyped_lets_nothing_through() {
    let meant = |it: &Typed| it.meant(Origin::User, 3, Path::new("/home/me"));
    let other = |it: &Typed| meant(it).unwrap_err().stand_in(Origin::User, "rule 3");
    assert_eq!(other(&typed("allow", Some("a*b"))), None);
    for typed in [
        typed("dney", Some("make *")),
        typed("deny", Some("ma*")),
        Typed { tool: String::new(), ..typed("deny", None) },
        Typed { project: Some("relative".to_owned()), ..typed("ask", None) },
        Typed { project: Some("/a/../b".to_owned()), ..typed("deny", None) },
    ] {
        let stand_in = other(&typed).unwrap();
        let verdict = decide(&SHELL, &[rule("allow", "Bash", Some("make *")), stand_in.clone()]);
        assert_eq!((verdict.decision, verdict.rule), (Decision::Ask, Some(stand_in)), "{typed:?}");
        assert!(verdict.why.starts_with("rule 3 cannot be read ("), "{}", verdict.why);
    }
}

#[test]
fn a_rule_reads_as_a_sentence() {
    let typed = Typed {
        agent: Some("one".to_owned()),
        project: Some("~/src".to_owned()),
        ..typed("allow", Some("make *"))
    };
    let rule = typed.meant(Origin::User, 2, Path::new("/home/me")).unwrap();
    assert_eq!(rule.text, "allow Bash: make * for one in ~/src");
    assert_eq!(rule.project, Some(PathBuf::from("/home/me/src")));
    assert_eq!(rule.number, 2);
}

#[test]
fn what_is_too_long_to_be_looked_through_is_asked_about() {
    let rules = [rule("allow", "Bash", Some("*")), rule("deny", "Bash", Some("git push *"))];
    let decided =
        |command: &str| decide(&Request { command: Some(command), ..SHELL }, &rules).decision;
    assert_eq!(decided(&format!("{}ls", "ls; ".repeat(100))), Decision::Allow);
    for command in [
        format!("{}git push", "ls;".repeat(3_000)),
        format!("{}git push", "sudo ".repeat(100)),
        format!("ls {}", "x".repeat(70_000)),
        format!("{}git push", " ".repeat(70_000)),
        "$(".repeat(30_000),
        "cat <<a\n$(".repeat(4_000),
        "sudo -a ".repeat(8_000),
    ] {
        assert_eq!(decided(&command), Decision::Ask, "{} bytes", command.len());
    }
}

#[test]
fn a_first_word_is_a_programs_name_even_in_quotes() {
    let rules = [rule("allow", "Bash", Some("*"))];
    let decided = |command| decide(&Request { command: Some(command), ..SHELL }, &rules).decision;
    for command in ["x", "'x' 'y z'", "./x", "+x", "@", "12"] {
        assert_eq!(decided(command), Decision::Allow, "{command}");
    }
    for command in [
        "'%1'",
        "'%%'",
        "x; '%1' y",
        "'='",
        "'a=b'",
        "'=x'",
        "''",
        "' '",
        "'a b'",
        "'a;b'",
        "'$x'",
        "'['",
        "'{'",
        "'!'",
        "'~'",
        "'if' x",
        "'eval' x",
        "'f\u{fc}r'",
    ] {
        assert_eq!(decided(command), Decision::Ask, "{command}");
    }
}

#[test]
fn a_rule_with_a_project_allows_files_below_it_only() {
    let edit = Rule { project: Some("/w/api".into()), ..rule("allow", "Edit", None) };
    let decided = |files: &[&str]| {
        let project = Some(Path::new("/w/api"));
        let request = Request { tool: "Edit", command: None, project, files, ..Request::default() };
        decide(&request, std::slice::from_ref(&edit)).decision
    };
    assert_eq!(decided(&["/w/api/src/a.rs"]), Decision::Allow);
    assert_eq!(decided(&["src/a.rs"]), Decision::Allow);
    assert_eq!(decided(&["/w/api/src/a.rs", "/w/other/b.rs"]), Decision::Ask);
    assert_eq!(decided(&["/w/api/../other/b.rs"]), Decision::Ask);
    assert_eq!(decided(&["/home/ann/.config/taffrail/rules.toml"]), Decision::Ask);
    assert_eq!(decided(&["/w/api/.git/hooks/pre-commit"]), Decision::Ask);
    assert_eq!(decided(&[]), Decision::Ask);
}

#[test]
fn no_rule_allows_what_decides_for_the_user() {
    let rules = [rule("allow", "*", None), rule("allow", "Bash", Some("taffrail *"))];
    let decided = |command: Option<&str>, files: &[&str]| {
        decide(&Request { tool: "Bash", command, files, ..Request::default() }, &rules).decision
    };
    assert_eq!(decided(Some("taffrail ls"), &[]), Decision::Allow);
    assert_eq!(decided(Some("taffrail approve 3f2a"), &[]), Decision::Ask);
    assert_eq!(decided(Some("taffrail config set archive.enabled false"), &[]), Decision::Ask);
    assert_eq!(decided(None, &["/home/ann/.bashrc"]), Decision::Ask);
    assert_eq!(decided(None, &["/w/a.rs"]), Decision::Allow);
}

/// The decision of a file rule for one request that names files and works in `/w/app`.
fn of_file(rule: (&str, &str, Option<&str>), files: &[&str]) -> Decision {
    let (decision, pattern, project) = rule;
    let typed = Typed {
        decision: decision.to_owned(),
        tool: "Write".to_owned(),
        file: Some(pattern.to_owned()),
        project: project.map(str::to_owned),
        ..Typed::default()
    };
    let rule = typed.meant(Origin::User, 1, Path::new("/home/me")).unwrap();
    let request = Request { project: Some(Path::new("/w/app")), files, ..WRITE };
    decide(&request, &[rule]).decision
}

#[test]
fn a_rule_for_files_allows_those_alone() {
    let check = |pattern: &str, project: Option<&str>, files: &[&str], is_allowed: bool| {
        let got = of_file(("allow", pattern, project), files) == Decision::Allow;
        assert_eq!(got, is_allowed, "{pattern} in {project:?}: {files:?}");
    };
    check("docs/*.md", None, &["/w/app/docs/a.md"], true);
    check("docs/*.md", None, &["docs/a.md"], true);
    check("docs/*.md", None, &["/w/app/docs/deep/a.md"], false);
    check("docs/**", None, &["/w/app/docs/deep/a.md"], true);
    check("docs/**", None, &["/w/app/docs/a.md", "/w/app/src/a.rs"], false);
    check("docs/**", None, &["/w/app/docs/../src/a.rs"], false);
    check("docs/**", None, &["/w/other/docs/a.md"], false);
    check("docs/**", None, &[], false);
    check("a.md", None, &["/w/app/deep/a.md"], false);
    check("a.md", None, &["/w/app/A.md"], false);
    check("docs/**", Some("/w"), &["/w/docs/a.md"], true);
    check("docs/**", Some("/w"), &["/w/app/docs/a.md"], false);
    check("/tmp/**", None, &["/tmp/x"], true);
    check("~/notes/*", None, &["/home/me/notes/x"], true);
    check("~/notes/*", None, &["/home/you/notes/x"], false);
    // No rule reaches what controls decisions.
    check("**", None, &["/w/app/.claude/settings.json"], false);
}

#[test]
fn a_rule_for_files_denies_more_rather_than_less() {
    let check = |pattern: &str, files: &[&str], is_denied: bool| {
        let got = of_file(("deny", pattern, None), files) == Decision::Deny;
        assert_eq!(got, is_denied, "{pattern}: {files:?}");
    };
    check(".env", &["/w/app/.env"], true);
    check(".env", &["/w/app/deep/.env"], true);
    check(".env", &["/w/app/.ENV"], true);
    check(".env", &["/w/app/src/a.rs", "/w/app/.env"], true);
    check(".env", &["/w/app/x/../.env"], true);
    check(".env", &["/w/app/.env.example"], false);
    check(".env*", &["/w/app/.env.example"], true);
    check("secrets/**", &["/w/app/secrets/a/b"], true);
    check("/etc/**", &["/etc/hosts"], true);
    check("/etc/**", &["/w/app/etc/hosts"], false);
}

#[test]
fn a_pattern_of_files_that_cannot_be_meant_is_refused() {
    let check = |pattern: &str, command: Option<&str>| {
        let typed = Typed { file: Some(pattern.to_owned()), ..typed("deny", command) };
        let meant = typed.meant(Origin::User, 1, Path::new("/home/me"));
        assert!(meant.is_err(), "{pattern}");
    };
    check("", None);
    check("../x", None);
    check("a/[", None);
    check("{a", None);
    check(&"x".repeat(257), None);
    check("a", Some("make"));
}
