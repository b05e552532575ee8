//! A line of input.

/// The longest line.
const LONGEST: usize = 400;

/// The text so far; typing appends to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) text: String,
}

impl Input {
    /// Handles a key; `false` if the key does not edit a line.
    pub(crate) fn press(&mut self, key: &str) -> bool {
        match key {
            "backspace" => {
                self.text.pop();
            }
            "ctrl-u" => self.text.clear(),
            "ctrl-w" => {
                let kept = self.text.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.text.truncate(kept);
            }
            "space" => self.paste(" "),
            key if key.chars().count() == 1 => self.paste(key),
            _ => return false,
        }
        true
    }

    /// Appends a text as far as there is room, on one line.
    pub(crate) fn paste(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.text.chars().count());
        let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it });
        self.text.extend(plain.take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let check = |keys: &[&str], expected: &str| {
            let mut input = Input::default();
            for key in keys {
                input.press(key);
            }
            assert_eq!(input.text, expected, "{keys:?}");
        };
        check(&["a", "space", "é", "漢"], "a é漢");
        check(&["a", "b", "backspace"], "a");
        check(&["backspace"], "");
        check(&["a", "space", "b", "ctrl-w"], "a ");
        check(&["a", "b", "ctrl-w"], "");
        check(&["a", "ctrl-u", "b"], "b");
        check(&["enter", "up"], "");
    }
}
