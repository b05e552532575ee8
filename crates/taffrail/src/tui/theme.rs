//! Colours by meaning: of a terminal with millions, with sixteen, or with none.

use ratatui::style::{Color, Modifier, Style};
use std::collections::HashMap;
use taffrail_api::Session;
use taffrail_model::status::{Status, WaitingKind};

/// What something on the screen means.
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
    Chosen,
    Found,
    Added,
    Removed,
    /// A request nobody has seen yet.
    Fresh,
}

/// How many colours the terminal has, and on what ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Palette {
    Dark,
    Light,
    Sixteen,
    Colourless,
}

/// Whether anything may blink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    Full,
    Reduced,
}

/// How everything looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) palette: Palette,
    pub(crate) motion: Motion,
}

impl Theme {
    /// What the environment asks for.
    pub(crate) fn of(variables: &HashMap<String, String>) -> Self {
        let word = |name: &str| variables.get(name).map_or("", String::as_str);
        let reduced = !matches!(word("TAFFRAIL_REDUCED_MOTION"), "" | "0");
        let motion = if reduced { Motion::Reduced } else { Motion::Full };
        Self { palette: palette(&word), motion }
    }

    /// How that looks.
    pub(crate) fn style(self, ink: Ink) -> Style {
        let style = match self.palette {
            Palette::Dark => coloured(ink, &DARK),
            Palette::Light => coloured(ink, &LIGHT),
            Palette::Sixteen => coloured(ink, &SIXTEEN),
            Palette::Colourless => Style::new(),
        };
        let style = style.add_modifier(weight(ink, self.palette));
        match (ink, self.motion) {
            (Ink::Fresh, Motion::Full) => style.add_modifier(Modifier::SLOW_BLINK),
            _ => style,
        }
    }

    /// The ground of the chosen row.
    pub(crate) fn ground(self) -> Style {
        match self.palette {
            Palette::Dark => Style::new().bg(Color::Rgb(0x26, 0x2c, 0x36)),
            Palette::Light => Style::new().bg(Color::Rgb(0xe4, 0xea, 0xf2)),
            Palette::Sixteen | Palette::Colourless => Style::new(),
        }
    }
}

/// The colour of a session's state.
pub(crate) fn ink_of(session: &Session) -> Ink {
    let asked = session.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    match session.status {
        _ if session.lifecycle.as_str() == "lost" => Ink::Failed,
        Status::WaitingApproval => Ink::Approval,
        Status::Waiting if asked => Ink::Question,
        Status::Running => Ink::Running,
        Status::Waiting => Ink::YourTurn,
        Status::Exited => Ink::Done,
        Status::Idle | Status::Unknown => Ink::Dim,
    }
}

fn palette<'a>(word: &impl Fn(&str) -> &'a str) -> Palette {
    if !word("NO_COLOR").is_empty() || matches!(word("TERM"), "dumb" | "") {
        return Palette::Colourless;
    }
    let asked = word("TAFFRAIL_THEME");
    if asked == "16" || !matches!(word("COLORTERM"), "truecolor" | "24bit") {
        return Palette::Sixteen;
    }
    // Some terminals say their colours as `15;0`: the text's, then the ground's.
    let ground = word("COLORFGBG").rsplit(';').next().unwrap_or_default();
    match (asked, ground) {
        ("light", _) => Palette::Light,
        ("dark", _) => Palette::Dark,
        (_, "7" | "15") => Palette::Light,
        _ => Palette::Dark,
    }
}

/// Colours in the order of [`Ink`]'s first seven, then added and removed.
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
    approval: Color::Rgb(0xd5, 0x5e, 0x00),
    question: Color::Rgb(0xa8, 0x6a, 0x00),
    running: Color::Rgb(0x00, 0x72, 0xb2),
    your_turn: Color::Rgb(0x11, 0x7a, 0x8b),
    done: Color::Rgb(0x00, 0x7d, 0x5a),
    failed: Color::Rgb(0xa8, 0x4c, 0x80),
    dim: Color::Rgb(0x66, 0x6e, 0x7a),
    removed: Color::Rgb(0xd5, 0x5e, 0x00),
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
        Ink::Running => Style::new().fg(colours.running),
        Ink::YourTurn => Style::new().fg(colours.your_turn),
        Ink::Done | Ink::Added => Style::new().fg(colours.done),
        Ink::Failed => Style::new().fg(colours.failed),
        Ink::Dim => Style::new().fg(colours.dim),
        Ink::Removed => Style::new().fg(colours.removed),
        Ink::Plain | Ink::Bold | Ink::Heading | Ink::Chosen => Style::new(),
    }
}

/// What stays without colour.
fn weight(ink: Ink, palette: Palette) -> Modifier {
    match ink {
        Ink::Approval | Ink::Bold | Ink::Heading | Ink::Chosen | Ink::Fresh => Modifier::BOLD,
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
            assert_eq!(Theme::of(&variables.iter().map(owned).collect()).palette, expected);
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
    fn nothing_blinks_but_a_new_request_and_that_only_where_motion_is_welcome() {
        for palette in [Palette::Dark, Palette::Light, Palette::Sixteen, Palette::Colourless] {
            let blinks = |ink, motion| {
                let style = Theme { palette, motion }.style(ink);
                style.add_modifier.contains(Modifier::SLOW_BLINK)
            };
            assert!(blinks(Ink::Fresh, Motion::Full));
            assert!(!blinks(Ink::Fresh, Motion::Reduced));
            assert!(!blinks(Ink::Approval, Motion::Full));
        }
    }
}
