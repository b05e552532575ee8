//! Installing and uninstalling hooks works whatever the file looks like.

use crate::call::{Call, Ours};
use crate::edit::undone;
use crate::json::Json;
use crate::text::{calls, installed, is_complete, stripped};
use crate::{Made, Unfit, json_tree};
use proptest::prelude::*;
use taffrail_adapters::{HookCall, Syntax};

const PROGRAM: &str = "/opt/a b/taffrail";
const OURS: Ours<'_> = Ours { agent: "a", program: PROGRAM, before: None };
const EVENTS: [&str; 3] = ["Start", "Ask", "Stop"];

fn wanted(form: HookCall) -> Vec<(&'static str, Call)> {
    let call = |seconds| Call {
        program: PROGRAM.to_owned(),
        agent: "a".to_owned(),
        form,
        timeout: Some(seconds),
    };
    EVENTS.into_iter().zip([2, 600, 2]).map(|(event, seconds)| (event, call(seconds))).collect()
}

fn form(syntax: Syntax) -> HookCall {
    match syntax {
        Syntax::Json => HookCall::Arguments,
        Syntax::Toml => HookCall::ShellLine,
    }
}

/// Installs into a text; returns the new text and the created surroundings.
fn install(text: &str, syntax: Syntax) -> Result<(String, Made), Unfit> {
    let wanted = wanted(form(syntax));
    let (after, pieces, made) = installed(text, syntax, &wanted, OURS)?;
    assert_eq!(undone(&after, &pieces).as_deref(), Some(text), "noted pieces bring it back");
    assert!(is_complete(&calls(&after, syntax, OURS).unwrap(), &wanted), "{after}");
    Ok((after, made))
}

/// A source of choices for generating texts: a cycle of bytes.
struct Dice<'a>(std::iter::Cycle<std::slice::Iter<'a, u8>>);

impl Dice<'_> {
    fn below(&mut self, most: u8) -> u8 {
        self.0.next().unwrap() % most
    }

    fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[usize::from(self.below(u8::try_from(of.len()).unwrap()))]
    }

    fn trivia(&mut self) -> String {
        const TRIVIA: [&str; 12] = [
            "",
            "",
            "",
            " ",
            "\n",
            "\t",
            "  ",
            "// c, }\n",
            "/* [ */",
            "/* a\nb */",
            " \n    ",
            "\n\n",
        ];
        let count = self.below(3);
        (0..count).map(|_| self.one(&TRIVIA)).collect()
    }

    fn list(&mut self, (open, close): (char, char), mut items: Vec<String>) -> String {
        let mut out = String::from(open);
        let last = items.pop();
        for item in items {
            out += &format!("{}{item}{},", self.trivia(), self.trivia());
        }
        if let Some(item) = last {
            let comma = self.one(&["", "", ","]);
            out += &format!("{}{item}{}{comma}", self.trivia(), self.trivia());
        }
        out + &self.trivia() + &String::from(close)
    }

    fn value(&mut self, depth: u8) -> String {
        let count = self.below(3);
        match self.below(if depth > 3 { 5 } else { 7 }) {
            0 => "null".to_owned(),
            1 => "-1.5e3".to_owned(),
            2 => "\"// no comment, } \\\" ü\"".to_owned(),
            3 => "true".to_owned(),
            4 => "\"\"".to_owned(),
            5 => {
                let items = (0..count).map(|_| self.value(depth + 1)).collect();
                self.list(('[', ']'), items)
            }
            _ => {
                let items = (0..count).map(|_| self.property(depth + 1)).collect();
                self.list(('{', '}'), items)
            }
        }
    }

    fn property(&mut self, depth: u8) -> String {
        let key = self.one(&["a", "b", "a", "hooks", "Stop"]);
        format!("\"{key}\"{}:{}{}", self.trivia(), self.trivia(), self.value(depth))
    }

    fn group(&mut self) -> String {
        const COMMANDS: [&str; 3] = [
            "{\"type\":\"command\",\"command\":\"say\"}",
            "{ \"command\": \"/x/taffrail\", \"args\": [\"hook\", \"other\"] }",
            "7",
        ];
        let count = self.below(3);
        let commands = (0..count).map(|_| self.one(&COMMANDS).to_owned()).collect();
        let commands = self.list(('[', ']'), commands);
        let mut fields = vec![format!("\"hooks\"{}:{commands}", self.trivia())];
        if self.below(2) == 0 {
            fields.insert(0, "\"matcher\": \"Bash|Edit\"".to_owned());
        }
        self.list(('{', '}'), fields)
    }

    /// Hooks as people write them, and sometimes as they do not.
    fn hooks(&mut self) -> String {
        let count = self.below(4);
        let events = (0..count).map(|_| {
            let groups = (0..self.below(3)).map(|_| self.group()).collect();
            let groups = self.list(('[', ']'), groups);
            let event = self.one(&["Stop", "Start", "Mine", "Other"]);
            format!("{}\"{event}\":{}{groups}", self.trivia(), self.trivia())
        });
        let events = events.collect();
        self.list(('{', '}'), events)
    }

    fn file(&mut self) -> String {
        let mut fields: Vec<_> = (0..self.below(3)).map(|_| self.property(0)).collect();
        fields.retain(|it| !it.starts_with("\"hooks\""));
        for _ in 0..self.below(3) {
            fields.push(format!("\"hooks\":{}{}", self.trivia(), self.hooks()));
        }
        if self.below(2) == 0 {
            fields.reverse();
        }
        let body = match self.below(8) {
            0 => String::new(),
            _ => self.list(('{', '}'), fields),
        };
        let text = format!("{}{body}{}", self.trivia(), self.trivia());
        let text = if self.below(3) == 0 { text.replace('\n', "\r\n") } else { text };
        if self.below(5) == 0 { format!("\u{feff}{text}") } else { text }
    }
}

/// Every token and comment of a text, without commas.
fn words(text: &str) -> Vec<String> {
    let json = Json::parse(text.trim_start_matches('\u{feff}')).unwrap();
    json_tree::words(&json.tree).into_iter().map(|(_, word)| word).collect()
}

/// Brackets with only whitespace and comments between them.
fn has_empty_list(text: &str) -> bool {
    let bare: Vec<_> = words(text)
        .into_iter()
        .filter(|it| !it.starts_with("//") && !it.starts_with("/*"))
        .collect();
    bare.is_empty()
        || bare
            .windows(2)
            .any(|it| matches!(it[0].as_str(), "{" | "[") && matches!(it[1].as_str(), "}" | "]"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn strange_settings_come_back(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
        let text = Dice(bytes.iter().cycle()).file();
        let (after, made) = install(&text, Syntax::Json).unwrap();
        let back = stripped(&after, Syntax::Json, OURS, Some(&made)).unwrap();
        prop_assert_eq!(words(&back), words(&text), "{}", after);
        if !has_empty_list(&text) {
            prop_assert_eq!(back, text);
        }
    }

    /// Someone adds a setting and a comment while our hooks are installed.
    #[test]
    fn what_others_change_in_between_stays(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
        let text = Dice(bytes.iter().cycle()).file();
        prop_assume!(words(&text).contains(&"{".to_owned()));
        let changed = |text: &str| {
            let json = Json::parse(text.trim_start_matches('\u{feff}')).unwrap();
            let root = json.tree.object_value().unwrap();
            let comma = if root.properties().is_empty() { "" } else { "," };
            let (head, tail) = json.text.split_at(json_tree::start_of(&root.into()) + 1);
            format!("{head} // theirs\n\"theirs\": 1{comma}{tail}\n// the end")
        };
        let (after, made) = install(&text, Syntax::Json).unwrap();
        let back = stripped(&changed(&after), Syntax::Json, OURS, Some(&made)).unwrap();
        prop_assert_eq!(words(&back), words(&changed(&text)));
        let forgotten = stripped(&changed(&after), Syntax::Json, OURS, None).unwrap();
        prop_assert_eq!(calls(&forgotten, Syntax::Json, OURS).unwrap(), vec![]);
    }

    /// A damaged file is refused or handled, never made worse.
    #[test]
    fn damage_is_refused_or_kept(bytes in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>()) {
        let mut text: Vec<char> = Dice(bytes.iter().cycle()).file().chars().collect();
        prop_assume!(!text.is_empty());
        text.remove(at.index(text.len()));
        let text: String = text.into_iter().collect();
        if let Ok((after, made)) = install(&text, Syntax::Json) {
            let back = stripped(&after, Syntax::Json, OURS, Some(&made)).unwrap();
            prop_assert_eq!(words(&back), words(&text));
        }
    }

    #[test]
    fn strange_tables_come_back(picks in prop::collection::vec(0_usize..9, 0..6), windows in any::<bool>(), cut in any::<bool>()) {
        const PIECES: [&str; 9] = [
            "# a remark, [x]\n",
            "\n",
            "[features]\nx = [1, 2] # y\n",
            "[[hooks.Stop]]\nmatcher = \"*\"\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = 'say'\n",
            "  [[hooks.Start]]\n  hooks = [ { type = \"command\", command = \"say\" } ]\n",
            "[hooks.state.\"/x:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
            "[[hooks.Stop]]\nhooks = []\n\n",
            "[other]\ntext = \"\"\"\n[[hooks.Stop]]\n\"\"\"\n",
            "[[list]]\na.b = 1\n",
        ];
        let mut seen = Vec::new();
        let mut text = String::from("model = \"x\"\n");
        for pick in picks {
            let is_table = matches!(pick, 2 | 5 | 7);
            if !is_table || !seen.contains(&pick) {
                text.push_str(PIECES[pick]);
            }
            seen.push(pick);
        }
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        let text = if cut { text.trim_end().to_owned() } else { text };
        let (after, made) = install(&text, Syntax::Toml).unwrap();
        let back = stripped(&after, Syntax::Toml, OURS, Some(&made)).unwrap();
        let line_end = if cut { crate::edit::line_end(&text) } else { "" };
        prop_assert_eq!(back, format!("{text}{line_end}"));
    }
}

#[test]
fn a_file_is_changed_like_this() {
    let check = |text: &str, expected: &str| {
        let (after, _) = install(text, Syntax::Json).unwrap();
        let group = |seconds: u32| {
            format!(
                "{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"{PROGRAM}\", \"args\": [\"hook\", \"a\"], \"timeout\": {seconds} }}] }}"
            )
        };
        let expected = expected.replace("<2>", &group(2)).replace("<600>", &group(600));
        assert_eq!(after, expected);
    };
    check(
        "",
        "{\n  \"hooks\": {\n    \"Start\": [<2>],\n    \"Ask\": [<600>],\n    \"Stop\": [<2>]\n  }\n}\n",
    );
    check(
        "{\n    \"a\": 1 // one\n}",
        "{\n    \"a\": 1, // one\n    \"hooks\": {\n        \"Start\": [<2>],\n        \"Ask\": [<600>],\n        \"Stop\": [<2>]\n    }\n}",
    );
    check(
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{}, // mine\n\t\t],\n\t},\n}\n",
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{}, // mine\n\t\t\t<2>,\n\t\t],\n\t\t\"Start\": [<2>],\n\t\t\"Ask\": [<600>],\n\t},\n}\n",
    );
    check(
        "{ \"hooks\": { \"Stop\": [] } }",
        "{ \"hooks\": { \"Stop\": [<2>],\n  \"Start\": [<2>],\n  \"Ask\": [<600>] } }",
    );
    check(
        "{ \"hooks\": { \"Stop\": [] /* mine */ } }",
        "{ \"hooks\": { \"Stop\": [<2>], /* mine */\n  \"Start\": [<2>],\n  \"Ask\": [<600>] } }",
    );
}

#[test]
fn unfit_files_are_refused_with_a_reason() {
    let check = |text: &str, syntax: Syntax, expected: &str| {
        assert_eq!(install(text, syntax).unwrap_err().to_string(), expected, "{text}");
    };
    check(
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        Syntax::Json,
        "cannot be read: Expected comma on line 2 column 9",
    );
    check(
        "{'a': 1}",
        Syntax::Json,
        "cannot be read: Single-quoted strings are not allowed on line 1 column 2",
    );
    check("[1]", Syntax::Json, "the whole file is not an object");
    check("{\"hooks\": null}", Syntax::Json, "`hooks` is not an object");
    check("{\"hooks\": {}, \"hooks\": []}", Syntax::Json, "`hooks` is not an object");
    check("{\"hooks\": {\"Stop\": {}}}", Syntax::Json, "`hooks.Stop` is not an array");
    check(
        &"[".repeat(10_000),
        Syntax::Json,
        "cannot be read: Maximum nesting depth exceeded on line 1 column 513",
    );
    check(
        "a = \n",
        Syntax::Toml,
        "cannot be read: string values must be quoted, expected literal string on line 1",
    );
    check("hooks = { Stop = [] }", Syntax::Toml, "`hooks` is not a table under a heading");
    check("[hooks]\nStop = 1", Syntax::Toml, "`hooks.Stop` is not an array");
}

#[test]
fn only_ours_go_from_a_group_shared_with_others() {
    let ours = "{\"command\": \"/x/taffrail\", \"args\": [\"hook\", \"a\"]}";
    let check = |text: &str, expected: &str| {
        let text = text.replace("OURS", ours);
        assert_eq!(stripped(&text, Syntax::Json, OURS, None).unwrap(), expected, "{text}");
    };
    let around = |inner: &str| format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{inner}]}}]}}}}");
    check(&around("OURS, 1"), &around(" 1"));
    check(&around("1, OURS"), &around("1"));
    check(&around("1, OURS, 2"), &around("1, 2"));
    check(&around("1, OURS, OURS,"), &around("1,"));
}
