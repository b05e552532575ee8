//! The code of `taffrail link` as a QR code, where the terminal shows one that a camera can read.

use crate::output::{columns, is_terminal, rows, styles};
use anstyle::{Ansi256Color, Style};
use qrcode::{Color, EcLevel, QrCode};
use taffrail_tui::Styles;
use taffrail_tui::letters::is_plain;

/// The light border that a reader needs, in modules.
const QUIET: usize = 4;
/// The lines beside the code: what to do with it, the six words, the wait, and the cursor.
const LINES: usize = 4;
/// The lines about a hub on this machine only.
const NEAR: usize = 2;

/// What the screen shows beside the QR code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// Columns of the longest line.
    width: usize,
    /// Lines without that one.
    lines: usize,
}

/// The size of a screen.
#[derive(Debug, Clone, Copy)]
struct Screen {
    columns: usize,
    rows: usize,
}

impl Rest {
    /// The lines around a command.
    pub(super) fn of(command: &str, is_near: bool) -> Self {
        Self { width: command.chars().count(), lines: LINES + if is_near { NEAR } else { 0 } }
    }

    fn rows(self, columns: usize) -> usize {
        self.lines + self.width.div_ceil(columns.max(1))
    }
}

/// The lines of a QR code, if stdout is a terminal with colours and the whole screen has room for it.
pub(super) fn shown(content: &str, rest: Rest) -> Option<Vec<String>> {
    let can_show = is_terminal() && styles() == Styles::On && !is_plain();
    let screen = Screen { columns: columns(), rows: rows() };
    can_show.then(|| drawn(content, rest, screen)).flatten()
}

fn drawn(content: &str, rest: Rest, screen: Screen) -> Option<Vec<String>> {
    // The screen is not torn or dirty: the lowest level makes the smallest code.
    let code = QrCode::with_error_correction_level(content, EcLevel::L).ok()?;
    let side = code.width() + 2 * QUIET;
    let height = side.div_ceil(2) + rest.rows(screen.columns);
    let fits = side <= screen.columns && height <= screen.rows;
    fits.then(|| (0..side).step_by(2).map(|row| line(&code, row)).collect())
}

/// Two rows of modules as one line of half blocks, dark on light whatever the terminal's colours are.
fn line(code: &QrCode, row: usize) -> String {
    let side = code.width() + 2 * QUIET;
    let blocks =
        (0..side).map(|column| match (dark(code, column, row), dark(code, column, row + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
    let (dark, light) = (Ansi256Color(16), Ansi256Color(231));
    let style = Style::new().fg_color(Some(dark.into())).bg_color(Some(light.into()));
    format!("{style}{}{style:#}", blocks.collect::<String>())
}

/// Whether a module is dark; those of the border are light.
fn dark(code: &QrCode, column: usize, row: usize) -> bool {
    let inside = |it: usize| it.checked_sub(QUIET).filter(|it| *it < code.width());
    match (inside(column), inside(row)) {
        (Some(column), Some(row)) => code[(column, row)] == Color::Dark,
        (None, _) | (_, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU16;
    use vt100::Parser;

    const CODE: &str = "nats://10.0.0.5:4222#k7qf-9m2x-w4tz-p8hr-3n6d";
    const USUAL: Screen = Screen { columns: 80, rows: 24 };

    fn rest(content: &str) -> Rest {
        Rest::of(&format!("taffrail link '{content}'"), false)
    }

    /// What a camera sees of these lines on a terminal: true where it is dark, two rows a line.
    fn seen(lines: &[String]) -> Vec<Vec<bool>> {
        let height = u16::try_from(lines.len()).unwrap() + 1;
        let size = [height, 200].map(|it| NonZeroU16::new(it).unwrap());
        let mut terminal = Parser::new(size[0], size[1], 0);
        lines.iter().for_each(|it| terminal.process(format!("{it}\r\n").as_bytes()));
        let screen = terminal.screen();
        let is_painted =
            |column: &u16| screen.cell(0, *column).unwrap().bgcolor() == vt100::Color::Idx(231);
        let width = (0..200).take_while(is_painted).count();
        let halves = |row: u16, upper: bool| {
            let cell = |column| {
                let cell = screen.cell(row, u16::try_from(column).unwrap()).unwrap();
                let is_ink = match cell.contents() {
                    "█" => true,
                    "▀" => upper,
                    "▄" => !upper,
                    _ => false,
                };
                let colour = if is_ink { cell.fgcolor() } else { cell.bgcolor() };
                assert!(matches!(colour, vt100::Color::Idx(16 | 231)), "{colour:?}");
                colour == vt100::Color::Idx(16)
            };
            (0..width).map(cell).collect::<Vec<_>>()
        };
        let rows = 0..u16::try_from(lines.len()).unwrap();
        rows.flat_map(|row| [halves(row, true), halves(row, false)]).collect()
    }

    #[test]
    fn a_camera_reads_the_code_from_the_screen() {
        let guarded = format!("tls://hub.example:4222?pin={}#k7qf-9m2x", "5f0c".repeat(16));
        for content in [CODE, "file:///srv/taffrail#k7qf-9m2x-w4tz-p8hr-3n6d", &guarded] {
            let wide = Screen { columns: 200, rows: 60 };
            let seen = seen(&drawn(content, rest(content), wide).unwrap());
            // Eight points a module, as a camera has them.
            let at = |x: usize, y: usize| if seen[y / 8][x / 8] { 0 } else { 255 };
            let (width, height) = (seen[0].len() * 8, seen.len() * 8);
            let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, at);
            let grids = image.detect_grids();
            assert_eq!(grids.len(), 1, "{content}");
            assert_eq!(grids[0].decode().unwrap().1, content);
        }
    }

    #[test]
    fn the_border_is_as_wide_as_readers_need() {
        let seen = seen(&drawn(CODE, rest(CODE), USUAL).unwrap());
        let side = QrCode::with_error_correction_level(CODE, EcLevel::L).unwrap().width();
        for (y, row) in seen.iter().enumerate() {
            for (x, is_dark) in row.iter().enumerate() {
                let inside = |it: usize| (QUIET..QUIET + side).contains(&it);
                assert!(!is_dark || inside(x) && inside(y), "{x} {y}");
            }
        }
        assert!(seen[QUIET][QUIET], "the first module of a corner is dark");
    }

    #[test]
    fn it_is_drawn_only_where_all_lines_fit() {
        let drawn = |content: &str, screen| drawn(content, rest(content), screen);
        let lines = drawn(CODE, USUAL).unwrap();
        assert!(lines.len() + rest(CODE).rows(80) <= 24, "{}", lines.len());
        assert!(drawn(CODE, Screen { columns: 80, rows: 23 }).is_none());
        assert!(drawn(CODE, Screen { columns: 36, rows: 80 }).is_none());
        assert!(drawn(&"x".repeat(90), USUAL).is_none(), "a long address");
        assert!(drawn(&"x".repeat(90), Screen { rows: 40, ..USUAL }).is_some());
        assert!(drawn(&"x".repeat(5_000), Screen { columns: 900, rows: 900 }).is_none());
    }
}
