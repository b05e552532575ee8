//! Parses patches as agents write them: `*** Begin Patch` with a section per file, or a unified diff.

/// The first line of such a patch.
pub(super) const BEGIN: &str = "*** Begin Patch";

/// The effect of a patch on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Section {
    /// The file is created.
    Add { path: String, content: String },
    /// The file is deleted.
    Delete { path: String },
    /// The file is changed and possibly moved.
    Update { path: String, to: Option<String>, hunks: Vec<Hunk> },
}

/// One hunk: the text before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: String,
    pub(super) new: String,
    /// Both texts are whole lines.
    pub(super) has_whole_lines: bool,
}

/// Parses the sections of a patch. Text before and after the patch is ignored.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let lines = text.lines().skip_while(|line| line.trim() != BEGIN).skip(1);
    for line in lines.take_while(|line| line.trim() != "*** End Patch") {
        if let Some(section) = heading(line) {
            out.push(section);
        } else if let Some(to) = line.strip_prefix("*** Move to: ") {
            if let Some(Section::Update { to: moved, .. }) = out.last_mut() {
                *moved = Some(to.trim().to_owned());
            }
        } else {
            out.last_mut().into_iter().for_each(|section| body(section, line));
        }
    }
    out
}

fn heading(line: &str) -> Option<Section> {
    let path = |path: &str| path.trim().to_owned();
    if let Some(it) = line.strip_prefix("*** Add File: ") {
        return Some(Section::Add { path: path(it), content: String::new() });
    }
    if let Some(it) = line.strip_prefix("*** Delete File: ") {
        return Some(Section::Delete { path: path(it) });
    }
    let it = line.strip_prefix("*** Update File: ")?;
    Some(Section::Update { path: path(it), to: None, hunks: Vec::new() })
}

fn body(section: &mut Section, line: &str) {
    match section {
        Section::Add { content, .. } => {
            if let Some(line) = line.strip_prefix('+') {
                content.push_str(line);
                content.push('\n');
            }
        }
        Section::Update { hunks, .. } => change(hunks, line),
        Section::Delete { .. } => {}
    }
}

/// Parses the hunks of a unified diff.
pub(super) fn hunks(diff: &str) -> Vec<Hunk> {
    let mut out = Vec::new();
    let lines = diff.lines().skip_while(|line| !line.starts_with("@@"));
    lines.for_each(|line| change(&mut out, line));
    out
}

fn change(hunks: &mut Vec<Hunk>, line: &str) {
    if line.starts_with("@@") {
        hunks.push(Hunk::default());
        return;
    }
    if hunks.is_empty() {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return };
    let mut chars = line.chars();
    let (mark, rest) = (chars.next(), chars.as_str());
    let (old, new) = match mark {
        Some('+') => (false, true),
        Some('-') => (true, false),
        Some(' ') | None => (true, true),
        // `\ No newline at end of file` and the patch's own markers are not content.
        Some(_) => return,
    };
    for (is_there, text) in [(old, &mut hunk.old), (new, &mut hunk.new)] {
        if is_there {
            text.push_str(rest);
            text.push('\n');
        }
    }
    hunk.has_whole_lines = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read() {
        let text = "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.txt\n+one\n+\n*** Delete File: b.txt\n\
                    *** Update File: c.txt\n*** Move to: d.txt\n@@ fn x\n same\n-old\n+new\n+more\n*** End Patch\nE\n";
        let hunk = Hunk {
            old: "same\nold\n".into(),
            new: "same\nnew\nmore\n".into(),
            has_whole_lines: true,
        };
        let expected = [
            Section::Add { path: "a.txt".into(), content: "one\n\n".into() },
            Section::Delete { path: "b.txt".into() },
            Section::Update { path: "c.txt".into(), to: Some("d.txt".into()), hunks: vec![hunk] },
        ];
        assert_eq!(sections(text), expected);
        assert_eq!(sections("nothing of the kind"), []);
    }

    #[test]
    fn a_unified_diff_is_read() {
        let got =
            hunks("--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n");
        let hunk = Hunk { old: "a\nb\n".into(), new: "a\nc\n".into(), has_whole_lines: true };
        assert_eq!(got, [hunk]);
    }
}
