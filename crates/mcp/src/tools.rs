//! The tools: what agents may ask.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Search,
    Show,
    Sessions,
    Why,
    Changed,
    Errors,
    Usage,
}

/// A tool in the words of people, since agents look for tools by the words of their task.
struct Entry {
    tool: Tool,
    name: &'static str,
    description: &'static str,
    /// The arguments, with a description where the name does not say enough.
    arguments: &'static [(&'static str, &'static str)],
    required: &'static [&'static str],
}

const ENTRIES: [Entry; 7] = [
    Entry {
        tool: Tool::Search,
        name: "search",
        description: "Search everything coding agents said and did before on this machine: \
            prompts, answers, commands, output. Use it to recall how something was done, decided \
            or fixed last time. Filters: agent: project: file: since:7d",
        arguments: &[("query", "words or \"phrases\""), ("cursor", "")],
        required: &["query"],
    },
    Entry {
        tool: Tool::Show,
        name: "show",
        description: "Read a past session (conversation history): prompts, answers, tool calls; \
            all of it or one turn.",
        arguments: &[
            ("session", "id from search or sessions, or the agent's own"),
            ("turn", "number or id"),
            ("cursor", ""),
        ],
        required: &["session"],
    },
    Entry {
        tool: Tool::Sessions,
        name: "sessions",
        description: "List recent sessions of all agents: who works now, who waits for the user, \
            who failed, in which project and when.",
        arguments: &[("cursor", "")],
        required: &[],
    },
    Entry {
        tool: Tool::Why,
        name: "why",
        description: "Explain why a session is waiting, stuck, failed or idle: its status, the \
            evidence, its last prompt.",
        arguments: &[("session", "")],
        required: &["session"],
    },
    Entry {
        tool: Tool::Changed,
        name: "changed",
        description: "Which sessions changed, wrote or read a file before, when and why: the \
            history of a path.",
        arguments: &[("path", ""), ("cursor", "")],
        required: &["path"],
    },
    Entry {
        tool: Tool::Errors,
        name: "errors",
        description: "Has this error happened before? Finds an error message in failed commands \
            and shows what fixed it last time.",
        arguments: &[("text", "the error message")],
        required: &["text"],
    },
    Entry {
        tool: Tool::Usage,
        name: "usage",
        description: "Tokens, cost and rate limits used, by agent and model.",
        arguments: &[("since", "7d, 12h or a date")],
        required: &[],
    },
];

impl Tool {
    /// The tool of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ENTRIES.iter().find(|it| it.name == name).map(|it| it.tool)
    }
}

/// The definitions of all tools, as the protocol lists them.
pub(crate) fn definitions() -> Value {
    let definition = |it: &Entry| {
        json!({
            "name": it.name, "description": it.description, "inputSchema": schema(it),
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    };
    ENTRIES.iter().map(definition).collect()
}

fn schema(entry: &Entry) -> Value {
    let argument = |(name, description): &(&str, &str)| {
        let value = match *description {
            "" => json!({"type": "string"}),
            description => json!({"type": "string", "description": description}),
        };
        ((*name).to_owned(), value)
    };
    let properties: Map<_, _> = entry.arguments.iter().map(argument).collect();
    match entry.required {
        [] => json!({"type": "object", "properties": properties}),
        required => {
            json!({"type": "object", "properties": properties, "required": required})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Value> {
        definitions().as_array().cloned().unwrap()
    }

    #[test]
    fn seven_tools_only_read_and_cost_few_tokens() {
        let all = all();
        let names: Vec<_> = all.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["search", "show", "sessions", "why", "changed", "errors", "usage"]);
        assert!(all.iter().all(|it| it["annotations"]["readOnlyHint"] == true));
        let size = |it: &Value| {
            json!([it["name"], it["description"], it["inputSchema"]]).to_string().len()
        };
        let total: usize = all.iter().map(size).sum();
        assert!(total <= 2400, "{total} characters");
    }

    #[test]
    fn an_act_is_not_a_tool() {
        let check = |name: &str| assert_eq!(Tool::named(name), None, "{name}");
        ["approve", "deny", "send", "config", "Search", ""].into_iter().for_each(check);
    }

    #[test]
    fn people_find_the_tools_by_their_own_words() {
        let text = |it: Value| it["description"].as_str().unwrap().to_lowercase();
        let text: String = all().into_iter().map(text).collect();
        for word in ["before", "last time", "error", "why", "history", "cost", "file", "past"] {
            assert!(text.contains(word), "{word}");
        }
    }
}
