use super::*;
use crate::scrollback::replay::replay;
use proptest::prelude::*;
use std::path::Path;

const SIZE: Size = Size { rows: 4, columns: 40 };

/// A terminal whose output is recorded.
struct Recorded {
    folder: tempfile::TempDir,
    view: View,
    recorder: Recorder,
    at: Duration,
}

impl Recorded {
    fn new(limit: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let start = (SIZE, Timestamp::from_second(1_000).unwrap());
        let recorder = Recorder::new(folder.path().to_owned(), limit, start);
        Self { folder, view: View::new(SIZE), recorder, at: Duration::ZERO }
    }

    fn prints(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += Duration::from_millis(100);
        drop(self.view.take(bytes));
        self.recorder.take(bytes, (self.at, &self.view))?;
        self.recorder.flush((self.at, &self.view))
    }

    fn parts(&self) -> Vec<String> {
        let parts = [BEFORE, LATEST].map(|it| fs::read_to_string(self.folder.path().join(it)));
        parts.into_iter().flatten().collect()
    }

    fn bytes(&self) -> u64 {
        self.parts().iter().map(|it| it.len() as u64).sum()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn what_was_printed_last_is_kept_within_the_limit() {
    let mut it = Recorded::new(SMALLEST_SCROLLBACK);
    for number in 0..20_000 {
        it.prints(format!("line {number}\r\n").as_bytes()).unwrap();
        if number % 500 == 0 {
            assert!(it.bytes() <= SMALLEST_SCROLLBACK, "{} bytes at {number}", it.bytes());
        }
    }
    let shown = replay(&it.parts());
    assert!(shown.is_cut, "{:?}", shown.size);
    // No line is missing or repeated where one part follows another.
    let lines: Vec<_> = shown.lines.iter().filter(|it| !it.is_empty()).collect();
    let first: usize = lines[0].strip_prefix("line ").unwrap().parse().unwrap();
    let expected: Vec<_> = (first..20_000).map(|it| format!("line {it}")).collect();
    assert!(first > 0 && expected.len() > 500, "{first}");
    assert_eq!(lines, expected.iter().collect::<Vec<_>>());
    assert_eq!(mode(&it.folder.path().join(LATEST)), 0o600);
    assert_eq!(mode(&it.folder.path().join(BEFORE)), 0o600);
}

#[test]
fn output_that_only_escapes_stays_within_the_limit() {
    let mut it = Recorded::new(SMALLEST_SCROLLBACK);
    for _ in 0..50 {
        it.prints(&[0x1b; 16 * 1024]).unwrap();
        assert!(it.bytes() <= SMALLEST_SCROLLBACK, "{}", it.bytes());
    }
    it.prints(b"cm the end").unwrap();
    let shown = replay(&it.parts());
    assert!(shown.lines.iter().any(|it| it.contains("the end")), "{shown:?}");
}

#[test]
fn a_run_that_was_removed_is_not_recorded_again() {
    let mut it = Recorded::new(1 << 20);
    it.prints(b"before").unwrap();
    fs::remove_file(it.folder.path().join(LATEST)).unwrap();
    assert_eq!(it.prints(b"after").unwrap_err().kind(), io::ErrorKind::NotFound);
    assert_eq!(it.parts(), Vec::<String>::new());
}

#[test]
fn output_while_a_hidden_line_is_typed_is_a_gap() {
    let mut it = Recorded::new(1 << 20);
    it.prints(b"Password: ").unwrap();
    for _ in 0..3 {
        it.recorder.hide((it.at, &it.view)).unwrap();
    }
    it.prints(b"\r\nwelcome").unwrap();
    let shown = replay(&it.parts());
    assert_eq!(shown.lines, ["Password:", "welcome"]);
    assert_eq!(shown.hidden_at.len(), 1);
}

proptest! {
    #[test]
    fn however_output_is_cut_the_same_is_shown(
        text in "[a-zäß€😀\r\n]{0,200}", cuts in prop::collection::vec(1_usize..9, 1..60),
    ) {
        let (mut whole, mut cut) = (Recorded::new(1 << 20), Recorded::new(1 << 20));
        whole.prints(text.as_bytes()).unwrap();
        let (mut rest, mut cuts) = (text.as_bytes(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, more) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            cut.prints(piece).unwrap();
            rest = more;
        }
        prop_assert_eq!(replay(&whole.parts()).lines, replay(&cut.parts()).lines);
    }
}
