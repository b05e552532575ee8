//! The processes above us: one of them is the agent that called.

use std::fs;
use taffrail_model::journal::Ancestor;

/// How far up is looked; an agent is rarely more than a shell or two above its hook.
const ANCESTORS: usize = 8;

/// The processes above the one with this number, the nearest first. Where the system does not tell,
/// the list ends.
#[must_use]
pub fn ancestors(pid: u32) -> Vec<Ancestor> {
    let parent = |of: u32| stat_of(of).map(|it| it.parent).filter(|parent| *parent > 0);
    let chain = std::iter::successors(parent(pid), |it| parent(*it)).take(ANCESTORS);
    chain
        .map_while(|pid| {
            let Stat { name, start, .. } = stat_of(pid)?;
            Some(Ancestor { pid, start, name })
        })
        .collect()
}

struct Stat {
    name: String,
    parent: u32,
    start: u64,
}

fn stat_of(pid: u32) -> Option<Stat> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parsed(&String::from_utf8_lossy(&bytes))
}

/// The name is in parentheses and may hold any character; what follows the last one is plain.
fn parsed(stat: &str) -> Option<Stat> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Stat { name: name.to_owned(), parent, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "S 41 7 7 0 -1 4194560 1 0 0 0 3 2 0 0 20 0 1 0 98765 1 2 3";
        let check = |name: &str| {
            let stat = parsed(&format!("42 ({name}) {rest}")).unwrap();
            assert_eq!((stat.name.as_str(), stat.parent, stat.start), (name, 41, 98765));
        };
        check("sh");
        check("a) S 1 (b");
        check("two words");
        assert!(parsed("42 (sh").is_none());
        assert!(parsed("").is_none());
    }

    #[test]
    fn our_own_parent_is_the_first() {
        let above = ancestors(std::process::id());
        let first = above.first().unwrap();
        assert_eq!(Some(first.start), crate::start_of(first.pid));
        assert_eq!(first.pid, std::os::unix::process::parent_id());
        assert!(above.len() <= ANCESTORS);
    }

    #[test]
    fn no_process_has_no_ancestors() {
        assert_eq!(ancestors(u32::MAX), []);
    }
}
