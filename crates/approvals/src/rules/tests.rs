//! Rules files: valid, broken, hostile, and edited.

mod fuzz;
mod suggestions;

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use taffrail_model::rules::{Decision, Request, Typed, decide};
use tempfile::TempDir;

fn settings_in(folder: &TempDir) -> Settings {
    Settings::in_folder(folder.path(), || taffrail_model::Timestamp::UNIX_EPOCH)
}

struct Place {
    settings: Settings,
    project: PathBuf,
    _folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = settings_in(&folder);
        let project = folder.path().join("home/repo/src");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&settings.config).unwrap();
        fs::create_dir_all(folder.path().join("home/repo/.git")).unwrap();
        Self { settings, project, _folder: folder }
    }

    fn user(&self, text: &str) {
        let path = user_file(&self.settings);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }

    fn repository(&self, below: &str, text: &str) {
        let folder = self.project.join(below).join(".taffrail");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.toml"), text).unwrap();
    }

    fn book(&self) -> RuleBook {
        load(&self.settings, Some(&self.project))
    }

    fn decided(&self, command: &str) -> Decision {
        let project = Some(self.project.as_path());
        let request = Request {
            tool: "Bash",
            command: Some(command),
            agent: Some("codex"),
            project,
            files: &[],
            beside: &[],
        };
        decide(&request, &self.book().rules).decision
    }

    fn faults(&self) -> Vec<(Option<usize>, String, bool)> {
        let told = |it: RuleFault| (it.number, it.message, it.holds_back);
        self.book().faults.into_iter().map(told).collect()
    }
}

const ALLOW: &str = "[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\ncommand = \"make *\"\n";
const DENY: &str = "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"make *\"\n";

fn typed(decision: &str, command: &str) -> Typed {
    Typed {
        decision: decision.to_owned(),
        tool: "Bash".to_owned(),
        command: Some(command.to_owned()),
        ..Typed::default()
    }
}

#[test]
fn without_files_nothing_is_allowed_and_nothing_is_wrong() {
    let place = Place::new();
    assert_eq!(place.book(), RuleBook::default());
    assert_eq!(place.decided("make"), Decision::Ask);
    assert_eq!(doctor_checks(&place.settings), Vec::new());
}

#[test]
fn a_repository_may_only_take_away() {
    let place = Place::new();
    place.user(ALLOW);
    assert_eq!(place.decided("make x"), Decision::Allow);
    place.repository("", ALLOW);
    let message = "a repository may deny or ask, and never allow".to_owned();
    assert_eq!(place.faults(), [(Some(1), message, false)]);
    assert_eq!(place.decided("make x"), Decision::Allow);
    place.repository("..", DENY);
    assert_eq!(place.decided("make x"), Decision::Deny);
    let listed = rule_list(&place.settings, Some(&place.project)).rules;
    let listed: Vec<_> = listed.into_iter().map(|it| (it.origin, it.number, it.text)).collect();
    let expected = [
        ("user", Some(1), "allow Bash: make *"),
        ("repository", Some(1), "does not count"),
        ("repository", Some(1), "deny Bash: make *"),
    ];
    assert_eq!(listed, expected.map(|(a, b, c)| (a, b, c.to_owned())));
}

#[test]
fn a_repositorys_rules_are_found_up_to_its_root_and_not_above() {
    let place = Place::new();
    place.user(ALLOW);
    place.repository("../..", DENY);
    assert_eq!(place.decided("make x"), Decision::Allow);
    place.repository("..", DENY);
    assert_eq!(place.decided("make x"), Decision::Deny);
    fs::remove_dir(place.project.join("../.git")).unwrap();
    assert_eq!(place.decided("make x"), Decision::Allow);
}

#[test]
fn a_file_that_is_broken_allows_nothing() {
    let rest = "tool = \"Bash\"\ncommand = \"git push *\"\n";
    let broken = [
        "[[rule]".to_owned(),
        "[[rules]]\n".to_owned(),
        "version = 2\n".to_owned(),
        "rule = 1\n".to_owned(),
        "rule = [1]\n".to_owned(),
        "[rule]\ndecision = \"deny\"\n".to_owned(),
        "[[rule]]\n".to_owned(),
        format!("[[rule]]\ndecision = \"dney\"\n{rest}"),
        format!("[[rule]]\ndecision = \"deny\"\nproject_ = \"/x\"\n{rest}"),
        format!("[[rule]]\ndecision = \"deny\"\nagent = \"nobody\"\n{rest}"),
        format!("[[rule]]\ndecision = \"deny\"\nproject = \"x\"\n{rest}"),
        "[[rule]]\ndecision = \"deny\"\ntool = 1\n".to_owned(),
        "\u{feff}\u{0}".to_owned(),
        format!("# {}\n", "x".repeat(300_000)),
        DENY.repeat(1_001),
    ];
    for text in broken {
        let place = Place::new();
        place.user(ALLOW);
        place.repository("", &text);
        assert_eq!(place.faults().len(), 1, "{text}");
        assert!(place.faults()[0].2, "{text}");
        assert_eq!(place.decided("make x"), Decision::Ask, "{text}");
        // The same in the user's own file, whose valid rules still deny.
        let place = Place::new();
        place
            .repository("", "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"dd *\"\n");
        place.user(&format!("{text}{ALLOW}"));
        assert_ne!(place.decided("make x"), Decision::Allow, "{text}");
        assert_eq!(place.decided("dd x"), Decision::Deny, "{text}");
        let checks = doctor_checks(&place.settings);
        assert!(checks.iter().all(|it| it.status == taffrail_api::CheckStatus::Failed), "{text}");
        assert!(rule_list(&place.settings, None).holds_back, "{text}");
    }
}

#[test]
fn a_broken_allow_takes_nothing_with_it() {
    let place = Place::new();
    place.user(&format!(
        "{ALLOW}[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\ncommand = \"a*\"\n"
    ));
    assert_eq!(place.decided("make x"), Decision::Allow);
    assert_eq!(place.decided("a"), Decision::Ask);
    let message = "it could never allow anything: it has `*`".to_owned();
    assert_eq!(place.faults(), [(Some(2), message, false)]);
}

#[test]
fn files_that_others_could_have_written_allow_nothing() {
    let place = Place::new();
    place.user(ALLOW);
    let path = user_file(&place.settings);
    for mode in [0o660, 0o602] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(place.decided("make x"), Decision::Ask, "{mode:o}");
    }
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(place.decided("make x"), Decision::Allow);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(place.faults().len(), 1);
    fs::remove_dir(&path).unwrap();
    // Reading a pipe does not block.
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert_eq!(place.faults().len(), 1);
    fs::remove_file(&path).unwrap();
    // A link in a repository is not followed.
    place.user(ALLOW);
    place.repository("", "");
    let policy = place.project.join(".taffrail/policy.toml");
    fs::remove_file(&policy).unwrap();
    symlink("/dev/zero", &policy).unwrap();
    assert_eq!(place.decided("make x"), Decision::Ask);
}

#[test]
fn rules_are_added_and_removed_and_the_rest_stays() {
    let place = Place::new();
    let path = user_file(&place.settings);
    assert_eq!(add(&place.settings, &typed("allow", "make *")).unwrap().number, 1);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(place.decided("make x"), Decision::Allow);
    let text = fs::read_to_string(&path).unwrap();
    place.user(&text.replace("[[rule]]", "# Mine.\n[[rule]] # here"));
    assert_eq!(add(&place.settings, &typed("deny", "dd *")).unwrap().number, 2);
    assert_eq!(add(&place.settings, &typed("ask", "git commit *")).unwrap().number, 3);
    // Once is enough.
    assert_eq!(add(&place.settings, &typed("deny", "dd *")).unwrap().number, 2);
    assert_eq!(remove(&place.settings, 2).unwrap(), Some(typed("deny", "dd *")));
    let expected = "# What agents may do without asking you, and what they may not.\n\
        # `taffrail rules --help` and `taffrail rules test` say how it is read.\n\
        version = 1\n\n# Mine.\n[[rule]] # here\ndecision = \"allow\"\ntool = \"Bash\"\ncommand = \"make *\"\n\n\
        [[rule]]\ndecision = \"ask\"\ntool = \"Bash\"\ncommand = \"git commit *\"\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    for number in [0, 3, 9] {
        let error = remove(&place.settings, number).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no rule {number}"));
    }
    remove(&place.settings, 1).unwrap();
    remove(&place.settings, 1).unwrap();
    assert_eq!(place.decided("make x"), Decision::Ask);
    assert_eq!(add(&place.settings, &typed("allow", "make *")).unwrap().number, 1);
    assert_eq!(place.decided("make x"), Decision::Allow);
}

#[test]
fn what_is_no_rule_is_not_added_and_a_broken_file_is_left_alone() {
    let place = Place::new();
    let no = |typed: &Typed| add(&place.settings, typed).unwrap_err().to_string();
    assert_eq!(no(&typed("allow", "a*")), "it could never allow anything: it has `*`");
    assert_eq!(no(&typed("maybe", "a")), "`maybe` is none of allow, ask, deny");
    let nobody = Typed { agent: Some("nobody".to_owned()), ..typed("allow", "a") };
    assert_eq!(no(&nobody), "no agent is called `nobody`");
    assert!(!user_file(&place.settings).exists());
    place.user("[[rule]");
    assert!(no(&typed("allow", "a")).contains("cannot be changed: it is not valid TOML"));
    assert_eq!(fs::read_to_string(user_file(&place.settings)).unwrap(), "[[rule]");
}

#[test]
fn a_link_to_the_users_file_stays_a_link() {
    let place = Place::new();
    let real = place.project.join("my-rules.toml");
    fs::write(&real, ALLOW).unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o600)).unwrap();
    symlink(&real, user_file(&place.settings)).unwrap();
    add(&place.settings, &typed("deny", "dd *")).unwrap();
    assert!(user_file(&place.settings).symlink_metadata().unwrap().is_symlink());
    assert_eq!((place.decided("make x"), place.decided("dd x")), (Decision::Allow, Decision::Deny));
}

#[test]
fn changes_at_once_are_all_there() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let settings = &place.settings;
            scope.spawn(move || {
                for number in 0..5 {
                    add(settings, &typed("deny", &format!("dd {thread} {number}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(place.book().rules.len(), 40);
    assert_eq!(place.faults(), []);
}
