//! Settings that keep hooks from running, as far as we may read them.

use crate::json::Json;
use crate::toml::Toml;
use std::fs;
use std::path::Path;
use taffrail_adapters::{HookBan, Syntax};

/// The reasons why hooks in this home do not run, in words.
pub(crate) fn bans(list: &[HookBan], home: &Path, system: &Path) -> Vec<String> {
    let in_force = list.iter().filter_map(|ban| {
        let path = match ban.file.strip_prefix('/') {
            Some(below) => system.join(below),
            None => home.join(ban.file),
        };
        let text = fs::read_to_string(&path).ok()?;
        let is_set = switch(&text, ban.syntax, ban.keys) == Some(ban.forbids);
        is_set.then(|| format!("{} in {}", ban.text, path.display()))
    });
    in_force.collect()
}

fn switch(text: &str, syntax: Syntax, keys: &[&str]) -> Option<bool> {
    match syntax {
        Syntax::Json => Json::parse(text).ok()?.switch(keys),
        Syntax::Toml => Toml::parse(text).ok()?.switch(keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_adapters::by_id;

    #[test]
    fn the_rule_of_an_organisation_is_told() {
        let check = |agent: &str, file: &str, text: &str, expected: &[&str]| {
            let system = tempfile::tempdir().unwrap();
            let path = system.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let plan = by_id(agent).unwrap().hook_plan().unwrap();
            let told = bans(plan.bans, &system.path().join("home"), system.path());
            let place = format!(" in {}", path.display());
            let told: Vec<_> = told.iter().map(|it| it.strip_suffix(&place).unwrap()).collect();
            assert_eq!(told, expected, "{text}");
        };
        let managed = "etc/claude-code/managed-settings.json";
        let only = "the organisation allows only its own hooks (`allowManagedHooksOnly`)";
        let none = "hooks are switched off (`disableAllHooks`)";
        check("claude-code", managed, "{\"allowManagedHooksOnly\": true}", &[only]);
        check("claude-code", managed, "{\"disableAllHooks\": true} // x", &[none]);
        check("claude-code", managed, "{\"disableAllHooks\": false}", &[]);
        check("claude-code", managed, "broken", &[]);
        check("claude-code", "home/settings.json", "{\"disableAllHooks\": true}", &[none]);
        let rules = "etc/codex/requirements.toml";
        let only = "the organisation allows only its own hooks (`allow_managed_hooks_only`)";
        let none = "hooks are switched off (`features.hooks`)";
        check("codex", rules, "allow_managed_hooks_only = true", &[only]);
        check("codex", "home/config.toml", "[features]\nhooks = false", &[none]);
        check("codex", "home/config.toml", "[features]\nhooks = true", &[]);
    }

    #[test]
    fn a_switch_counts_where_it_stands() {
        let check = |text: &str, syntax: Syntax, keys: &[&str], expected: Option<bool>| {
            assert_eq!(switch(text, syntax, keys), expected, "{text}");
        };
        check("{\"a\": true}", Syntax::Json, &["a"], Some(true));
        check("{\"a\": true, \"a\": false} // x", Syntax::Json, &["a"], Some(false));
        check("{\"b\": {\"a\": true}}", Syntax::Json, &["b", "a"], Some(true));
        check("{\"b\": {\"a\": true}}", Syntax::Json, &["a"], None);
        check("{\"a\": \"true\"}", Syntax::Json, &["a"], None);
        check("{", Syntax::Json, &["a"], None);
        check("a = true", Syntax::Toml, &["a"], Some(true));
        check("[b]\na = false", Syntax::Toml, &["b", "a"], Some(false));
        check("[b]\na = 1", Syntax::Toml, &["b", "a"], None);
        check("", Syntax::Toml, &["a"], None);
    }
}
