//! Names that people would take for one another.
//!
//! This is asked where a device is let in and where names are shown, and never when a roster is read: tables
//! of look-alikes grow, and two versions of the program must agree on who is in the team.

use unicode_security::confusable_detection::skeleton;

/// Two different names that look the same, or nearly so.
#[must_use]
pub fn looks_like(one: &str, other: &str) -> bool {
    one != other && face(one) == face(other)
}

/// What is left of a name for who only glances at it.
fn face(name: &str) -> String {
    let lower = skeleton(&name.to_lowercase()).collect::<String>().to_lowercase();
    skeleton(&lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_another_are_found() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(looks_like(one, other), expected, "{one} {other}");
            assert_eq!(looks_like(other, one), expected, "{other} {one}");
        };
        check("bob@x.org", "bob@x.org", false);
        check("bob@x.org", "Bob@x.org", true);
        check("bob@x.org", "b0b@x.org", true);
        check("bob@x.org", "bоb@x.org", true); // a Cyrillic o
        check("laptop", "1aptop", true);
        check("tower", "tοwer", true); // a Greek o
        check("modern", "modem", true);
        check("tower-1", "tower-2", false);
        check("desk", "desk-2", false);
        check("Büro", "Buro", false);
        check("東京", "京都", false);
    }
}
