//! Comma-separated values: fields that no spreadsheet takes for a formula, and sessions as records.

use crate::Session;
use serde_json::Value;

/// The columns of a session, as `ls --json` names them; those of `usage` are columns of their own.
const COLUMNS: [&str; 33] = [
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
    "starred",
    "failures",
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
    COLUMNS.map(|it| found(it).map_or_else(|| left_out(it).to_owned(), cell)).join(",")
}

/// The cell of a column that a session leaves out.
fn left_out(column: &str) -> &'static str {
    match column {
        "starred" => "false",
        "failures" => "0",
        _ => "",
    }
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
#[must_use]
pub fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HEAD: &str = "id,device,agent,runtime_session_id,title,title_derived,auto_title,\
        project_path,git_branch,model,lifecycle,started_at,last_event_at,turns,prompts,tool_calls,\
        input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,reasoning_tokens,\
        cost_microdollars,parent_id,source_uri,captured,group,failed,status,status_since,\
        confidence,tags,starred,failures";

    /// A session with these fields instead of the defaults.
    fn session(fields: &Value) -> Session {
        let mut row = json!({
            "id": "00000000-0000-4000-8000-000000000001", "agent": "an-agent",
            "runtime_session_id": "r1", "title": "t", "title_derived": true,
            "project_path": "/home/ada/src/api-auth", "git_branch": "main", "model": "a-model",
            "lifecycle": "active", "started_at": "2026-11-15T09:00:00Z",
            "last_event_at": "2026-11-15T11:58:00Z", "turns": 41, "prompts": 41,
            "tool_calls": 120, "usage": {"input_tokens": 100_000, "output_tokens": 2_000,
                "cache_read_tokens": 80_000, "cache_write_tokens": 0, "reasoning_tokens": 0},
            "source_uri": "file:///x", "captured": true, "group": "done", "status": "exited",
            "status_since": "2026-11-15T11:58:00Z", "confidence": "high",
        });
        for (name, value) in fields.as_object().unwrap() {
            row[name] = value.clone();
        }
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn a_session_is_one_record() {
        let fields = json!({"title": "say \"hi\",\nthen go", "tags": ["a", "b"],
            "cost_microdollars": null, "starred": true, "failures": 3});
        let expected = "\"00000000-0000-4000-8000-000000000001\",,\"an-agent\",\"r1\",\
            \"say \"\"hi\"\",\nthen go\",true,,\"/home/ada/src/api-auth\",\"main\",\"a-model\",\
            \"active\",\"2026-11-15T09:00:00Z\",\"2026-11-15T11:58:00Z\",41,41,120,100000,2000,\
            80000,0,0,,,\"file:///x\",true,\"done\",false,\"exited\",\"2026-11-15T11:58:00Z\",\
            \"high\",\"a b\",true,3";
        assert_eq!(sessions(&[session(&fields)]), [HEAD, expected]);
        assert_eq!(sessions(&[]), [HEAD]);
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        let check = |text: &str, expected: &str| {
            let row = sessions(&[session(&json!({"title": text}))]).remove(1);
            assert!(row.contains(expected), "{row}");
            assert!(row.ends_with(",,false,0"), "{row}");
        };
        check("=HYPERLINK(\"x\")", ",\"'=HYPERLINK(\"\"x\"\")\",");
        for sign in ["+", "-", "@", "\t", "\r"] {
            check(&format!("{sign}1"), &format!(",\"'{sign}1\","));
        }
        check("a=1", ",\"a=1\",");
    }
}
