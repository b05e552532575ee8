//! Lines of a command's output: with the colours, the links and the width that its terminal has.

use crate::hyperlinks::Links;
use crate::paint::theme::{Ink, Styles, Theme, ThemeChoice};
use anstyle::{AnsiColor, Effects, RgbColor};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::collections::HashMap;

/// The widest text; longer lines are hard to read.
const WIDEST: usize = 120;

/// What a command's output may use.
#[derive(Debug)]
pub struct Printer {
    pub(crate) theme: Theme,
    /// The columns of the terminal.
    pub width: usize,
    /// How paths become links.
    pub links: Links,
}

impl Printer {
    /// A printer for a terminal of so many columns.
    #[must_use]
    pub fn new(
        variables: &HashMap<String, String>,
        (configured, styles): (ThemeChoice, Styles),
        width: usize,
        links: Links,
    ) -> Self {
        Self { theme: Theme::of_output(variables, configured, styles), width, links }
    }

    /// The columns of running text.
    #[must_use]
    pub fn text_width(&self) -> usize {
        self.width.min(WIDEST)
    }

    /// A text of our own, or a sanitized one, as a heading.
    #[must_use]
    pub fn bold(&self, text: &str) -> String {
        self.inked(text, Ink::Bold)
    }

    /// The same as something of less weight.
    #[must_use]
    pub fn dim(&self, text: &str) -> String {
        self.inked(text, Ink::Dim)
    }

    /// The same as a match of a search.
    #[must_use]
    pub fn found(&self, text: &str) -> String {
        self.inked(text, Ink::Found)
    }

    pub(crate) fn inked(&self, text: &str, ink: Ink) -> String {
        painted(text, self.theme.style(ink))
    }
}

/// A line in its own styles.
pub(crate) fn painted_line(line: &Line<'_>) -> String {
    line.spans.iter().map(painted_span).collect()
}

/// A piece of a line in its own style.
pub(crate) fn painted_span(span: &Span<'_>) -> String {
    painted(&span.content, span.style)
}

fn painted(text: &str, style: Style) -> String {
    let style = ansi(style);
    if style.is_plain() || text.is_empty() {
        text.to_owned()
    } else {
        format!("{style}{text}{style:#}")
    }
}

fn ansi(style: Style) -> anstyle::Style {
    let mut effects = Effects::new();
    let known = [
        (Modifier::BOLD, Effects::BOLD),
        (Modifier::DIM, Effects::DIMMED),
        (Modifier::ITALIC, Effects::ITALIC),
        (Modifier::UNDERLINED, Effects::UNDERLINE),
    ];
    for (modifier, effect) in known {
        if style.add_modifier.contains(modifier) {
            effects |= effect;
        }
    }
    anstyle::Style::new().effects(effects).fg_color(style.fg.and_then(colour))
}

/// The colours that a theme has.
fn colour(colour: Color) -> Option<anstyle::Color> {
    Some(match colour {
        Color::Rgb(red, green, blue) => RgbColor(red, green, blue).into(),
        Color::LightRed => AnsiColor::BrightRed.into(),
        Color::Yellow => AnsiColor::Yellow.into(),
        Color::Blue => AnsiColor::Blue.into(),
        Color::Cyan => AnsiColor::Cyan.into(),
        Color::Green => AnsiColor::Green.into(),
        Color::Magenta => AnsiColor::Magenta.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printer_uses_what_the_terminal_has() {
        let check = |variables: &[(&str, &str)], styles, expected: &str| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let variables = variables.iter().map(owned).collect();
            let links = Links::Off;
            let printer = Printer::new(&variables, (ThemeChoice::Auto, styles), 80, links);
            assert_eq!(printer.inked("x", Ink::Failed), expected, "{variables:?}");
        };
        let term = ("TERM", "xterm-256color");
        let many = ("COLORTERM", "truecolor");
        let rgb = "\u{1b}[38;2;204;121;167mx\u{1b}[0m";
        check(&[term], Styles::On, "\u{1b}[35mx\u{1b}[0m");
        check(&[term, many], Styles::On, "\u{1b}[35mx\u{1b}[0m");
        check(&[term, many, ("TAFFRAIL_THEME", "dark")], Styles::On, rgb);
        check(&[], Styles::On, "\u{1b}[35mx\u{1b}[0m");
        check(&[term, many], Styles::Off, "x");
    }
}
