//! Our entry in an agent's list of MCP servers: found, inserted and removed, in any syntax.
//!
//! Each change is parsed again and compared: the rest of the file must mean what it meant.

use crate::edit::{Insertion, applied};
use crate::entry_name::NAME;
use crate::{Made, Unfit, entry_json, entry_toml, entry_yaml};
use serde_json::{Map, Value};
use taffrail_adapters::{McpPlan, McpSyntax};

/// Our entry for a program, as the agent writes it.
pub(crate) fn wanted(plan: &McpPlan, program: &str) -> Result<Value, Unfit> {
    let mut entry: Value =
        serde_json::from_str(plan.entry).map_err(|error| Unfit::Unreadable(error.to_string()))?;
    put_program(&mut entry, program);
    Ok(entry)
}

fn put_program(value: &mut Value, program: &str) {
    match value {
        Value::String(text) if text == "{program}" => program.clone_into(text),
        Value::Array(list) => list.iter_mut().for_each(|it| put_program(it, program)),
        Value::Object(fields) => fields.values_mut().for_each(|it| put_program(it, program)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The entry of our name in a text; `None` if the list has none.
pub(crate) fn entry(text: &str, plan: &McpPlan) -> Result<Option<Value>, Unfit> {
    Ok(meaning(text, plan.syntax)?.get(plan.list).and_then(|it| it.get(NAME)).cloned())
}

/// The text with our entry, and what was inserted. The text must not have an entry of our name.
pub(crate) fn installed(
    text: &str,
    plan: &McpPlan,
    wanted: &Value,
) -> Result<(String, Vec<Insertion>, Made), Unfit> {
    let before = meaning(text, plan.syntax)?;
    let list = before.get(plan.list);
    if list.is_some_and(|it| !it.is_object() && !it.is_null()) {
        return Err(Unfit::shape(&format!("`{}`", plan.list), "a list of servers"));
    }
    let pieces = match plan.syntax {
        McpSyntax::Json => entry_json::insert(text, plan.list, wanted)?,
        McpSyntax::Toml => entry_toml::insert(text, plan.list, wanted),
        McpSyntax::Yaml => entry_yaml::insert(text, plan.list, wanted)?,
    };
    let made = Made { root: text.trim().is_empty(), hooks: list.is_none(), ..Made::default() };
    let after = applied(text, &pieces).ok_or(Unfit::Entangled)?;
    let expected = changed(before, plan.list, |it| {
        it.insert(NAME.to_owned(), wanted.clone());
    });
    match meaning(&after, plan.syntax).is_ok_and(|it| it == expected) {
        true => Ok((after, pieces, made)),
        false => Err(Unfit::Entangled),
    }
}

/// The text without our entry, where others changed it since.
pub(crate) fn stripped(text: &str, plan: &McpPlan, made: Option<&Made>) -> Result<String, Unfit> {
    let with_list = made.is_some_and(|it| it.hooks);
    let after = match plan.syntax {
        McpSyntax::Json => entry_json::strip(text, plan.list, with_list)?,
        McpSyntax::Toml => entry_toml::strip(text, plan.list),
        McpSyntax::Yaml => entry_yaml::strip(text, plan.list),
    };
    let expected = changed(meaning(text, plan.syntax)?, plan.list, |it| {
        it.remove(NAME);
    });
    let got = meaning(&after, plan.syntax).map_err(|_| Unfit::Entangled)?;
    // An empty list means what no list means.
    match changed(got, plan.list, |_| {}) == expected {
        true => Ok(after),
        false => Err(Unfit::Entangled),
    }
}

/// The settings with another list of servers, and without an empty one.
fn changed(whole: Value, list: &str, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let fields = |it| if let Value::Object(fields) = it { fields } else { Map::new() };
    let mut whole = fields(whole);
    let mut servers = whole.remove(list).map(fields).unwrap_or_default();
    change(&mut servers);
    if !servers.is_empty() {
        whole.insert(list.to_owned(), servers.into());
    }
    Value::Object(whole)
}

/// What a text means; an empty one means an empty object.
fn meaning(text: &str, syntax: McpSyntax) -> Result<Value, Unfit> {
    let unreadable = |error: &dyn std::fmt::Display| Unfit::Unreadable(error.to_string());
    let value = match syntax {
        McpSyntax::Json => entry_json::meaning(text)?,
        McpSyntax::Toml => toml::from_str(text).map_err(|error| unreadable(&error.message()))?,
        McpSyntax::Yaml if text.trim().is_empty() => Value::Null,
        McpSyntax::Yaml => serde_saphyr::from_str(text).map_err(|error| unreadable(&error))?,
    };
    match value {
        Value::Null => Ok(Value::Object(Map::new())),
        Value::Object(_) => Ok(value),
        _ => Err(Unfit::shape("the whole file", "an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::undone;
    use taffrail_adapters::{HookBase, by_id};

    const STANDARD: &str = r#"{"command": "{program}", "args": ["mcp"]}"#;

    fn plan(syntax: McpSyntax) -> McpPlan {
        let list = match syntax {
            McpSyntax::Json => "mcpServers",
            McpSyntax::Toml => "mcp_servers",
            McpSyntax::Yaml => "extensions",
        };
        McpPlan { base: HookBase::AgentHome, files: &[], syntax, list, entry: STANDARD }
    }

    /// The entry goes in, is found, comes out to the byte, and comes out of a changed file.
    fn check(syntax: McpSyntax, before: &str, expected: &str) {
        let plan = plan(syntax);
        let ours = wanted(&plan, "/bin/taffrail").unwrap();
        let (after, pieces, made) = installed(before, &plan, &ours).unwrap();
        assert_eq!(after, expected);
        assert_eq!(entry(&after, &plan), Ok(Some(ours)));
        assert_eq!(undone(&after, &pieces).as_deref(), Some(before));
        let stripped = stripped(&after, &plan, Some(&made)).unwrap();
        assert_eq!(entry(&stripped, &plan), Ok(None), "{stripped}");
    }

    #[test]
    fn an_entry_goes_into_json() {
        let ours = r#""taffrail": { "args": ["mcp"], "command": "/bin/taffrail" }"#;
        let check = |before: &str, expected: &str| {
            check(McpSyntax::Json, before, &expected.replace("OURS", ours));
        };
        check("", "{\n  \"mcpServers\": {\n    OURS\n  }\n}\n");
        check(
            "{\n  // mine\n  \"ui\":   {\"theme\": \"dark\"}\n}\n",
            "{\n  // mine\n  \"ui\":   {\"theme\": \"dark\"},\n  \"mcpServers\": {\n    OURS\n  }\n}\n",
        );
        check(
            "\u{feff}{\"mcpServers\": {\n  \"other\": {}\n}}",
            "\u{feff}{\"mcpServers\": {\n  \"other\": {},\n  OURS\n}}",
        );
    }

    #[test]
    fn an_entry_goes_into_toml() {
        let ours = "[mcp_servers.taffrail]\nargs = [\"mcp\"]\ncommand = \"/bin/taffrail\"\n";
        let check = |before: &str| {
            let gap = if before.is_empty() { "" } else { "\n" };
            check(McpSyntax::Toml, before, &format!("{before}{gap}{ours}"));
        };
        check("");
        check("model = \"x\"\n");
        check("[mcp_servers.other]\ncommand = \"y\"\n# end\n");
    }

    #[test]
    fn an_entry_goes_into_yaml() {
        let ours = |indent: &str| {
            format!(
                "{indent}taffrail:\n{indent}  args: [\"mcp\"]\n{indent}  command: \"/bin/taffrail\"\n"
            )
        };
        let two = ours("  ");
        check(McpSyntax::Yaml, "", &format!("extensions:\n{two}"));
        check(McpSyntax::Yaml, "a: 1\n", &format!("a: 1\nextensions:\n{two}"));
        check(
            McpSyntax::Yaml,
            "extensions: # all\n    dev:\n        enabled: true\nb: 2\n",
            &format!("extensions: # all\n{}    dev:\n        enabled: true\nb: 2\n", ours("    ")),
        );
    }

    #[test]
    fn a_list_of_another_shape_is_left_alone() {
        let check = |syntax, text: &str| {
            let plan = plan(syntax);
            let ours = wanted(&plan, "/bin/taffrail").unwrap();
            assert!(installed(text, &plan, &ours).is_err(), "{text}");
        };
        check(McpSyntax::Json, r#"{"mcpServers": []}"#);
        check(McpSyntax::Json, "[]");
        check(McpSyntax::Json, "{");
        check(McpSyntax::Toml, "mcp_servers = {}\n");
        check(McpSyntax::Yaml, "extensions: {}\n");
        check(McpSyntax::Yaml, "extensions: [a]\n");
        check(McpSyntax::Yaml, "- a\n");
    }

    #[test]
    fn every_agent_writes_an_entry_that_starts_us() {
        let known = taffrail_adapters::agents().filter_map(|it| {
            let plan = it.mcp_plan()?;
            let ours = wanted(plan, "/bin/taffrail").unwrap();
            installed("", plan, &ours).unwrap();
            Some((it.descriptor().id, plan.files[0], ours.to_string().contains("/bin/taffrail")))
        });
        let mut known: Vec<_> = known.collect();
        known.sort_unstable();
        let expected = [
            ("claude-code", ".claude.json", true),
            ("codex", "config.toml", true),
            ("copilot-cli", "mcp-config.json", true),
            ("gemini-cli", "settings.json", true),
            ("goose", "config.yaml", true),
            ("opencode", "opencode.json", true),
            ("qwen-code", "settings.json", true),
        ];
        assert_eq!(known, expected);
        assert!(by_id("aider").is_some_and(|it| it.mcp_plan().is_none()));
    }
}
