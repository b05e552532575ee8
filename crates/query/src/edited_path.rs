//! The file that a call of a tool edits, by the beginning of its input.

/// Parts of the names of tools that edit files.
pub(crate) const EDITING: [&str; 6] = ["edit", "write", "patch", "replace", "create", "notebook"];
/// The fields of an input that name the file.
const PATHS: [&str; 5] = ["file_path", "path", "absolute_path", "notebook_path", "filename"];
/// The lines of a patch that name the file.
const PATCHED: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// The file that the beginning of an input names; `None` if its name is cut off.
pub(crate) fn path_in(input: &str) -> Option<String> {
    let named = PATHS.iter().find_map(|field| field_in(input, field));
    named.or_else(|| patched_in(input)).or_else(|| alone_in(input))
}

/// An input of which the index keeps the path alone. A relative one has no spaces, unlike a text.
fn alone_in(input: &str) -> Option<String> {
    let is_cut = input.ends_with('…');
    let is_path = input.starts_with('/')
        || (input.contains(['/', '.']) && !input.contains(char::is_whitespace));
    let is_other = input.contains(['{', '"', '\n']) || input.contains("***");
    (is_path && !is_cut && !is_other).then(|| input.to_owned())
}

fn field_in(input: &str, field: &str) -> Option<String> {
    let (_, rest) = input.split_once(&format!("\"{field}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    texts.next()?.ok().filter(|it| !it.is_empty())
}

fn patched_in(input: &str) -> Option<String> {
    let rest = PATCHED.iter().find_map(|line| Some(input.split_once(line)?.1))?;
    // The excerpt is on one line: a name ends at a space, an escaped line break, or a marker.
    let end = rest.find(['\\', ' ', '"'])?;
    rest.get(..end).filter(|it| !it.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_an_edit_is_read_from_the_beginning_of_its_input() {
        let check = |input: &str, expected: Option<&str>| {
            assert_eq!(path_in(input).as_deref(), expected, "{input}");
        };
        check(r#"{"file_path":"/w/a b.rs","old_string":"x"#, Some("/w/a b.rs"));
        check(r#"{ "replace_all": false, "path" : "src/\u00e4.rs", "#, Some("src/ä.rs"));
        check(r#"{"file_path":"/w/cut of"#, None);
        check(r#"{"file_path":7,"path":"b"}"#, Some("b"));
        check(r"*** Begin Patch *** Update File: src/a.rs @@ -x", Some("src/a.rs"));
        check(r#"{"input":"*** Begin Patch\n*** Add File: b.rs\n+x"#, Some("b.rs"));
        check(r"*** Begin Patch *** Update File: src/a", None);
        check(r#"{"command":"ls"}"#, None);
        check("/w/a b.rs", Some("/w/a b.rs"));
        check("src/a.rs", Some("src/a.rs"));
        check("/w/long na…", None);
        check("Fix the parser.", None);
        check("", None);
    }
}
