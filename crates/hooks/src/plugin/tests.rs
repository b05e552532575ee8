use super::*;

/// The folder in the repository, which packages carry: its program is found by its name.
const PACKAGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/plugin");

fn files_below(folder: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let below = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            out.insert(below, fs::read_to_string(path).unwrap());
        }
    }
    out
}

/// `UPDATE_FIXTURES=1` writes the packaged folder.
#[test]
#[expect(clippy::disallowed_methods, reason = "a person may ask for the folder to be written")]
fn the_packaged_folder_is_the_one_this_program_writes() {
    let (folder, wanted) = (Path::new(PACKAGED), plugin_files(&chosen(None).unwrap(), "taffrail"));
    if std::env::var("UPDATE_FIXTURES").is_ok() {
        fs::remove_dir_all(folder).ok();
        let files = wanted.iter().map(|(path, text)| (folder.join(path), text.clone()));
        write(folder, &files.collect::<Vec<_>>()).unwrap();
    }
    assert_eq!(files_below(folder), wanted);
}

#[test]
fn documents_beside_the_folder_have_this_version() {
    let version = Value::from(env!("CARGO_PKG_VERSION"));
    let check = |file: &str, places: &[&str]| {
        let text = fs::read_to_string(Path::new(PACKAGED).with_file_name(file)).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let got: Vec<_> = places.iter().map(|it| document.pointer(it)).collect();
        assert_eq!(got, vec![Some(&version); places.len()], "{file}");
    };
    check("mcpb.json", &["/version"]);
    check("server.json", &["/version", "/packages/0/version"]);
}

#[test]
fn a_program_with_quotes_stays_one_string() {
    let program = "/it's/a \"b\" c/taffrail";
    for (path, text) in plugin_files(&chosen(None).unwrap(), program) {
        if !path.ends_with(".json") {
            continue;
        }
        let document: Value = serde_json::from_str(&text).unwrap();
        if let Some(command) = document.pointer("/mcpServers/taffrail/command") {
            assert_eq!(command, program, "{path}");
        }
    }
}

#[test]
fn a_skill_says_its_name_and_when_to_use_it() {
    for (name, text) in SKILLS {
        let head = text.strip_prefix("---\n").and_then(|it| it.split_once("\n---\n")).unwrap().0;
        let fields: BTreeMap<_, _> = head.lines().filter_map(|it| it.split_once(": ")).collect();
        assert_eq!(fields["name"], name);
        assert!(fields["description"].contains("Use when"), "{name}");
        assert!(text.len() < 1500 && !text.contains("--yes`\n"), "{name}");
    }
}

/// A plugin and settings that both called us made every request appear twice.
#[test]
fn settings_that_call_us_are_seen_and_others_are_not() {
    let check = |agent: &str, file: &str, text: &str, expected: bool| {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        assert_eq!(is_in_settings(agent, home.path(), |_| None), expected, "{agent} {text}");
    };
    let json = |command: &str| {
        format!(
            r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", {command}}}]}}]}}}} // x"#
        )
    };
    let line = |agent: &str| json(&format!("\"command\": \"/usr/bin/taffrail hook {agent}\""));
    let words = json("\"command\": \"/o/taffrail\", \"args\": [\"hook\", \"claude-code\"]");
    check("claude-code", ".claude/settings.json", &words, true);
    check("claude-code", ".claude/settings.json", &line("claude-code"), true);
    check("claude-code", ".claude/settings.json", &line("codex"), false);
    check("claude-code", ".claude/settings.json", "{}", false);
    check("claude-code", ".claude/settings.json", "{", false);
    check("claude-code", ".claude/other.json", &words, false);
    check("codex", ".codex/hooks.json", &line("codex"), true);
    let toml = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/o/taffrail hook codex\"\n";
    check("codex", ".codex/config.toml", toml, true);
    check("gemini-cli", ".gemini/settings.json", &line("gemini-cli"), true);
    check("gemini-cli", ".gemini/settings.json", &line("gemini-cli plugin"), false);
    check("nobody", ".claude/settings.json", &words, false);
}
