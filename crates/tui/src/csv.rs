//! Comma-separated values: fields that no spreadsheet takes for a formula, and sessions as records.

use serde_json::Value;
use taffrail_api::Session;

/// The columns of a session, as `ls --json` names them; those of `usage` are columns of their own.
const COLUMNS: [&str; 31] = [
    "id",
    "device",
    "agent",
    "runtime_session_id",
    "title",
    "title_derived",
    "auto_title",
    "project_path",
    "git_branch",
    "model",
    "lifecycle",
    "started_at",
    "last_event_at",
    "turns",
    "prompts",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cost_microdollars",
    "parent_id",
    "source_uri",
    "captured",
    "group",
    "failed",
    "status",
    "status_since",
    "confidence",
    "tags",
];

/// The sessions as CSV, with a head.
#[must_use]
pub fn sessions(sessions: &[Session]) -> Vec<String> {
    let rows = sessions.iter().map(record);
    [COLUMNS.join(",")].into_iter().chain(rows).collect()
}

fn record(session: &Session) -> String {
    // Plain fields always serialize.
    let value = serde_json::to_value(session).unwrap_or_default();
    let found = |name: &str| value.get(name).or_else(|| value.get("usage")?.get(name));
    COLUMNS.map(|it| found(it).map(cell).unwrap_or_default()).join(",")
}

/// A value as a cell: empty for `null`, and the texts of a list between spaces.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => field(text),
        Value::Array(all) => {
            let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            field(&texts.join(" "))
        }
        other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) => other.to_string(),
    }
}

/// A quoted field. Titles, branches and folders are named by others: a spreadsheet must not take
/// one for a formula.
pub(crate) fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::session;
    use serde_json::json;

    const HEAD: &str = "id,device,agent,runtime_session_id,title,title_derived,auto_title,\
        project_path,git_branch,model,lifecycle,started_at,last_event_at,turns,prompts,tool_calls,\
        input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,reasoning_tokens,\
        cost_microdollars,parent_id,source_uri,captured,group,failed,status,status_since,\
        confidence,tags";

    #[test]
    fn a_session_is_one_record() {
        let fields = json!({"title": "say \"hi\",\nthen go", "tags": ["a", "b"],
            "cost_microdollars": null});
        let expected = "\"00000000-0000-4000-8000-000000000001\",,\"claude-code\",\"r1\",\
            \"say \"\"hi\"\",\nthen go\",true,,\"/home/ada/src/api-auth\",\"main\",\"a-model\",\
            \"active\",\"2026-11-15T09:00:00Z\",\"2026-11-15T11:58:00Z\",41,41,120,100000,2000,\
            80000,0,0,,,\"file:///x\",true,\"done\",false,\"exited\",\"2026-11-15T11:58:00Z\",\
            \"high\",\"a b\"";
        assert_eq!(sessions(&[session(1, &fields)]), [HEAD, expected]);
        assert_eq!(sessions(&[]), [HEAD]);
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        let check = |text: &str, expected: &str| {
            let row = sessions(&[session(1, &json!({"title": text}))]).remove(1);
            assert!(row.contains(expected), "{row}");
        };
        check("=HYPERLINK(\"x\")", ",\"'=HYPERLINK(\"\"x\"\")\",");
        for sign in ["+", "-", "@", "\t", "\r"] {
            check(&format!("{sign}1"), &format!(",\"'{sign}1\","));
        }
        check("a=1", ",\"a=1\",");
    }
}
