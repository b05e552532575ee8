//! Colours by meaning: for a terminal with millions, with sixteen, or with none.

use ratatui::style::{Color, Modifier, Style};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use taffrail_api::Session;
use taffrail_model::status::{Status, WaitingKind};

/// The configured colours: for a dark or a light terminal, or detected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Queries the terminal for its background.
    #[default]
    Auto,
    /// A dark background.
    Dark,
    /// A light background.
    Light,
}

/// The background of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Dark,
    Light,
}

/// The meaning of something on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Approval,
    Question,
    Running,
    YourTurn,
    Done,
    Failed,
    Dim,
    Plain,
    Bold,
    Heading,
    /// A heading in a text.
    Title,
    Emphasis,
    /// Code in a text.
    Code,
    Chosen,
    Found,
    Added,
    Removed,
    /// A request that the user has not seen yet.
    Fresh,
}

/// How many colours the terminal has, and on what background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Palette {
    Dark,
    Light,
    Sixteen,
    Colourless,
    /// Text alone: neither colours nor weights.
    Plain,
}

/// Whether anything may blink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    Full,
    Reduced,
}

/// Whether output may have colours and weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Styles {
    /// It may.
    On,
    /// It is text alone.
    Off,
}

/// The colours and motion of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) palette: Palette,
    pub(crate) motion: Motion,
    /// The background is a guess; the terminal may report it.
    pub(crate) is_guessed: bool,
}

impl Theme {
    /// The theme from the environment, otherwise as configured.
    pub(crate) fn of(variables: &HashMap<String, String>, configured: ThemeChoice) -> Self {
        let word = |name: &str| variables.get(name).map_or("", String::as_str);
        let reduced = !matches!(word("TAFFRAIL_REDUCED_MOTION"), "" | "0");
        let motion = if reduced { Motion::Reduced } else { Motion::Full };
        let (palette, is_guessed) = palette(&word, configured);
        Self { palette, motion, is_guessed }
    }

    /// The theme of a command's output, which cannot ask the terminal for its background.
    pub(crate) fn of_output(
        variables: &HashMap<String, String>,
        configured: ThemeChoice,
        styles: Styles,
    ) -> Self {
        let theme = Self::of(variables, configured);
        let palette = match (styles, theme.palette) {
            (Styles::Off, _) => Palette::Plain,
            (Styles::On, Palette::Colourless) => Palette::Sixteen,
            (Styles::On, _) if theme.is_guessed => Palette::Sixteen,
            (Styles::On, known) => known,
        };
        Self { palette, motion: Motion::Reduced, ..theme }
    }

    /// The same theme on the terminal's background; unchanged if the background is known.
    pub(crate) fn on(self, background: Background) -> Self {
        let palette = match background {
            Background::Dark => Palette::Dark,
            Background::Light => Palette::Light,
        };
        if self.is_guessed { Self { palette, ..self } } else { self }
    }

    /// The style of a meaning.
    pub(crate) fn style(self, ink: Ink) -> Style {
        let style = match self.palette {
            Palette::Dark => coloured(ink, &DARK),
            Palette::Light => coloured(ink, &LIGHT),
            Palette::Sixteen => coloured(ink, &SIXTEEN),
            Palette::Colourless => Style::new(),
            Palette::Plain => return Style::new(),
        };
        let style = style.add_modifier(weight(ink, self.palette));
        match (ink, self.motion) {
            (Ink::Fresh, Motion::Full) => style.add_modifier(Modifier::SLOW_BLINK),
            _ => style,
        }
    }

    /// The chosen row: its background and the colour of its text. The terminal's own text may have
    /// any colour, and must be readable here even if the background was guessed wrong.
    pub(crate) fn background(self) -> Style {
        match self.palette {
            Palette::Dark => Style::new().bg(DARK_BACKGROUND).fg(DARK_TEXT),
            Palette::Light => Style::new().bg(LIGHT_BACKGROUND).fg(LIGHT_TEXT),
            Palette::Sixteen | Palette::Colourless | Palette::Plain => Style::new(),
        }
    }
}

/// The colour of a session's state.
pub(crate) fn ink_of(session: &Session) -> Ink {
    let asked = session.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    match session.status {
        _ if session.failed || session.lifecycle.as_str() == "lost" => Ink::Failed,
        _ if session.lifecycle.as_str() == "prompts_only" => Ink::Done,
        Status::WaitingApproval => Ink::Approval,
        Status::Waiting if asked => Ink::Question,
        Status::Running => Ink::Running,
        Status::Waiting => Ink::YourTurn,
        Status::Exited => Ink::Done,
        Status::Idle | Status::Unknown => Ink::Dim,
    }
}

/// The palette, and whether it is a guess.
fn palette<'a>(word: &impl Fn(&str) -> &'a str, configured: ThemeChoice) -> (Palette, bool) {
    if !word("NO_COLOR").is_empty() || matches!(word("TERM"), "dumb" | "") {
        return (Palette::Colourless, false);
    }
    let asked = word("TAFFRAIL_THEME");
    if asked == "16" || !matches!(word("COLORTERM"), "truecolor" | "24bit") {
        return (Palette::Sixteen, false);
    }
    // Some terminals report their colours as `15;0`: the text's, then the background's.
    let background = word("COLORFGBG").rsplit(';').next().unwrap_or_default();
    match (asked, configured, background) {
        ("light", _, _) => (Palette::Light, false),
        ("dark", _, _) => (Palette::Dark, false),
        (_, ThemeChoice::Light, _) => (Palette::Light, false),
        (_, ThemeChoice::Dark, _) => (Palette::Dark, false),
        (_, ThemeChoice::Auto, "7" | "15") => (Palette::Light, true),
        (_, ThemeChoice::Auto, _) => (Palette::Dark, true),
    }
}

/// Colours in the order of [`Ink`]'s first seven variants, then added and removed.
struct Colours {
    approval: Color,
    question: Color,
    running: Color,
    your_turn: Color,
    done: Color,
    failed: Color,
    dim: Color,
    removed: Color,
}

const DARK_BACKGROUND: Color = Color::Rgb(0x26, 0x2c, 0x36);
const DARK_TEXT: Color = Color::Rgb(0xe6, 0xea, 0xf0);
const LIGHT_BACKGROUND: Color = Color::Rgb(0xe4, 0xea, 0xf2);
const LIGHT_TEXT: Color = Color::Rgb(0x1a, 0x1f, 0x27);

const DARK: Colours = Colours {
    approval: Color::Rgb(0xff, 0x8a, 0x3d),
    question: Color::Rgb(0xff, 0xc0, 0x4d),
    running: Color::Rgb(0x56, 0xb4, 0xe9),
    your_turn: Color::Rgb(0x7f, 0xd1, 0xde),
    done: Color::Rgb(0x4c, 0xc9, 0xa0),
    failed: Color::Rgb(0xcc, 0x79, 0xa7),
    dim: Color::Rgb(0x8a, 0x93, 0xa0),
    removed: Color::Rgb(0xff, 0x8a, 0x3d),
};

const LIGHT: Colours = Colours {
    approval: Color::Rgb(0xb0, 0x4a, 0x00),
    question: Color::Rgb(0x85, 0x53, 0x00),
    running: Color::Rgb(0x00, 0x68, 0xa3),
    your_turn: Color::Rgb(0x0e, 0x69, 0x78),
    done: Color::Rgb(0x00, 0x6e, 0x4f),
    failed: Color::Rgb(0x9c, 0x43, 0x75),
    dim: Color::Rgb(0x5c, 0x64, 0x70),
    removed: Color::Rgb(0xb0, 0x4a, 0x00),
};

const SIXTEEN: Colours = Colours {
    approval: Color::LightRed,
    question: Color::Yellow,
    running: Color::Blue,
    your_turn: Color::Cyan,
    done: Color::Green,
    failed: Color::Magenta,
    dim: Color::Reset,
    removed: Color::LightRed,
};

fn coloured(ink: Ink, colours: &Colours) -> Style {
    match ink {
        Ink::Approval | Ink::Fresh => Style::new().fg(colours.approval),
        Ink::Question | Ink::Found => Style::new().fg(colours.question),
        Ink::Running | Ink::Title => Style::new().fg(colours.running),
        Ink::YourTurn | Ink::Code => Style::new().fg(colours.your_turn),
        Ink::Done | Ink::Added => Style::new().fg(colours.done),
        Ink::Failed => Style::new().fg(colours.failed),
        Ink::Dim => Style::new().fg(colours.dim),
        Ink::Removed => Style::new().fg(colours.removed),
        Ink::Plain | Ink::Bold | Ink::Emphasis | Ink::Heading | Ink::Chosen => Style::new(),
    }
}

/// What distinguishes an ink without colour.
fn weight(ink: Ink, palette: Palette) -> Modifier {
    match ink {
        Ink::Approval | Ink::Bold | Ink::Heading | Ink::Title | Ink::Chosen | Ink::Fresh => {
            Modifier::BOLD
        }
        Ink::Emphasis => Modifier::ITALIC,
        Ink::Found => Modifier::BOLD.union(Modifier::UNDERLINED),
        Ink::Dim if matches!(palette, Palette::Sixteen | Palette::Colourless) => Modifier::DIM,
        _ => Modifier::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_the_colours_it_can_show() {
        let check = |variables: &[(&str, &str)], expected: Palette| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let variables = variables.iter().map(owned).collect();
            assert_eq!(Theme::of(&variables, ThemeChoice::Auto).palette, expected);
        };
        let term = ("TERM", "xterm-256color");
        let many = ("COLORTERM", "truecolor");
        check(&[], Palette::Colourless);
        check(&[("TERM", "dumb"), many], Palette::Colourless);
        check(&[term], Palette::Sixteen);
        check(&[term, many], Palette::Dark);
        check(&[term, many, ("COLORFGBG", "0;15")], Palette::Light);
        check(&[term, many, ("COLORFGBG", "0;15"), ("TAFFRAIL_THEME", "dark")], Palette::Dark);
        check(&[term, many, ("TAFFRAIL_THEME", "light")], Palette::Light);
        check(&[term, many, ("TAFFRAIL_THEME", "16")], Palette::Sixteen);
        check(&[term, many, ("NO_COLOR", "1")], Palette::Colourless);
        check(&[term, many, ("NO_COLOR", "")], Palette::Dark);
    }

    #[test]
    fn what_is_said_counts_before_what_the_terminal_answers() {
        let check = |theme: &str, configured, expected: [Palette; 2]| {
            let words = [("TERM", "x"), ("COLORTERM", "truecolor"), ("TAFFRAIL_THEME", theme)];
            let words = words.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let theme = Theme::of(&HashMap::from(words), configured);
            let got = [Background::Dark, Background::Light].map(|it| theme.on(it).palette);
            assert_eq!(got, expected, "{theme:?} {configured:?}");
        };
        check("", ThemeChoice::Auto, [Palette::Dark, Palette::Light]);
        check("", ThemeChoice::Light, [Palette::Light; 2]);
        check("", ThemeChoice::Dark, [Palette::Dark; 2]);
        check("dark", ThemeChoice::Light, [Palette::Dark; 2]);
        check("16", ThemeChoice::Light, [Palette::Sixteen; 2]);
    }

    /// The terminal's own text may be black or white; neither is readable on every background.
    #[test]
    fn the_chosen_row_has_a_text_of_its_own_on_a_ground_of_its_own() {
        for palette in [Palette::Dark, Palette::Light] {
            let style = Theme { palette, motion: Motion::Full, is_guessed: true }.background();
            assert!(style.fg.is_some() && style.bg.is_some(), "{palette:?}");
        }
    }

    /// The relative luminance of a colour, as in the contrast formula.
    fn luminance(colour: Color) -> f64 {
        let Color::Rgb(red, green, blue) = colour else { panic!("{colour:?} is not known") };
        let part = |it: u8| {
            let it = f64::from(it) / 255.0;
            if it <= 0.040_45 { it / 12.92 } else { ((it + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
    }

    #[test]
    fn every_colour_can_be_read_on_its_ground_and_on_the_chosen_row() {
        let white = Color::Rgb(0xff, 0xff, 0xff);
        let (black, dark) = (Color::Rgb(0, 0, 0), Color::Rgb(0x1e, 0x1e, 0x1e));
        let check = |colours: &Colours, grounds: &[Color], text: Color| {
            let Colours { approval, question, running, your_turn, done, failed, dim, removed } =
                *colours;
            for ink in [approval, question, running, your_turn, done, failed, dim, removed, text] {
                for background in grounds {
                    let (one, other) = (luminance(ink), luminance(*background));
                    let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                    assert!(contrast >= 4.5, "{ink:?} on {background:?}: {contrast:.2}");
                }
            }
        };
        check(&LIGHT, &[white, LIGHT_BACKGROUND], LIGHT_TEXT);
        check(&DARK, &[black, dark, DARK_BACKGROUND], DARK_TEXT);
    }

    #[test]
    fn nothing_blinks_but_a_new_request_and_that_only_where_motion_is_welcome() {
        for palette in [Palette::Dark, Palette::Light, Palette::Sixteen, Palette::Colourless] {
            let blinks = |ink, motion| {
                let style = Theme { palette, motion, is_guessed: false }.style(ink);
                style.add_modifier.contains(Modifier::SLOW_BLINK)
            };
            assert!(blinks(Ink::Fresh, Motion::Full));
            assert!(!blinks(Ink::Fresh, Motion::Reduced));
            assert!(!blinks(Ink::Approval, Motion::Full));
        }
    }
}
