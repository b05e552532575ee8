//! Evaluates licence expressions: `OR` asks for one side, `AND` for both.

/// Whether an expression can be satisfied with the licences that `allowed` accepts. An expression
/// that cannot be read is not satisfied.
pub(super) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    // Older manifests write `/` for `OR`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = Words { rest: spaced.split_whitespace().collect(), allowed };
    words.rest.reverse();
    words.any() == Some(true) && words.rest.is_empty()
}

/// The remaining words, the next one last.
struct Words<'a> {
    rest: Vec<&'a str>,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Words<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut holds = self.all()?;
        while self.takes("OR") {
            holds |= self.all()?;
        }
        Some(holds)
    }

    fn all(&mut self) -> Option<bool> {
        let mut holds = self.one()?;
        while self.takes("AND") {
            holds &= self.one()?;
        }
        Some(holds)
    }

    fn one(&mut self) -> Option<bool> {
        if self.takes("(") {
            let holds = self.any()?;
            return self.takes(")").then_some(holds);
        }
        let licence = self.rest.pop()?;
        if matches!(licence, ")" | "OR" | "AND" | "WITH") {
            return None;
        }
        if !self.takes("WITH") {
            return Some((self.allowed)(licence));
        }
        let exception = self.rest.pop()?;
        Some((self.allowed)(&format!("{licence} WITH {exception}")))
    }

    fn takes(&mut self, word: &str) -> bool {
        self.rest.pop_if(|next| *next == word).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_evaluated() {
        let check = |expression: &str, expected: bool| {
            let allowed = |licence: &str| ["A", "B", "A WITH e"].contains(&licence);
            assert_eq!(satisfied(expression, &allowed), expected, "{expression}");
        };
        check("A", true);
        check("X", false);
        check("A OR X", true);
        check("X OR A", true);
        check("X/A", true);
        check("X / Y", false);
        check("A AND B", true);
        check("A AND X", false);
        check("(A OR X) AND B", true);
        check("A OR X AND Y", true);
        check("(A OR X) AND Y", false);
        check("((A))", true);
        check("A WITH e", true);
        check("B WITH e", false);
        check("A WITH e OR X", true);
        for broken in ["", "A OR", "(A", "A)", "A B", "OR A", "A WITH"] {
            check(broken, false);
        }
    }
}
