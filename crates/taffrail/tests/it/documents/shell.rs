//! Runs the commands of a page one after another, as its reader does.

use super::extract::Command;
use super::page::{LAPTOP, Line, Page, Place, Way};
use super::started::Started;
use super::world::{World, field, has_read};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;
use taffrail_testkit::patiently;

/// The interval between two questions to a daemon.
const LOOK: Duration = Duration::from_millis(50);
/// What follows a command: a reader that has enough, such as `head`, ends its writer with 141; and
/// the next command begins in the folder where this one ends.
const END: &str = "code=$?; [ $code = 141 ] && code=0; pwd > \"$HOME/.folder\"; exit $code";
/// A line that is in no table.
const PLAIN: Line = super::page::run("");

/// Runs a command of a page; says what is wrong with it.
pub(crate) fn run(world: &mut World, page: &Page, command: &Command) -> Result<(), String> {
    let line = page.lines.iter().find(|it| it.command == command.text).unwrap_or(&PLAIN);
    line.before.iter().for_each(|step| world.step(step));
    let text = filled(world, page, line.on, &command.text)?;
    match line.way {
        Way::Ends => ends(world, line.on, &text, 0, "it should succeed"),
        Way::Refused(code, why) => ends(world, line.on, &text, code, why),
        Way::Terminal(shows, types, code) => terminal(world, line.on, &text, (shows, types, code)),
        Way::Stays(shows) => stays(world, line.on, &text, shows),
        Way::Serves => serves(world, line.on, &text),
        Way::Excepted(_) => Ok(()),
    }
}

/// The command with values in place of placeholders.
fn filled(world: &mut World, page: &Page, on: &str, text: &str) -> Result<String, String> {
    let mut out = text.to_owned();
    for (name, place) in page.places {
        if out.contains(name) {
            let value = value(world, name, *place, on);
            out = out.replace(name, &value.ok_or(format!("there is no value for `{name}`"))?);
        }
    }
    Ok(out)
}

fn value(world: &mut World, name: &'static str, place: Place, on: &str) -> Option<String> {
    match place {
        Place::Text(text) => Some(text.to_owned()),
        Place::Printed(begin) => {
            let mut words = world.printed.split_whitespace().rev();
            words.find(|it| it.starts_with(begin)).map(str::to_owned)
        }
        Place::Json(arguments, pointer) => {
            let known = world.values.iter().find(|it| it.0 == name).map(|it| it.1.clone());
            let value = known.or_else(|| field(world.device(on), arguments, pointer))?;
            world.values.push((name, value.clone()));
            Some(value)
        }
    }
}

fn ends(world: &mut World, on: &str, text: &str, code: i32, why: &str) -> Result<(), String> {
    let script = format!("{text}\n{END}");
    let mut started = start(world, on, "bash", &["-o", "pipefail", "-c", &script], Stdio::null());
    let ended = started.code();
    let folder = fs::read_to_string(world.device(on).path(".folder"));
    if let (Ok(folder), true) = (folder, on == LAPTOP) {
        world.folder = folder.trim().into();
    }
    checked(world, &started, ended, code, why)
}

fn terminal(
    world: &mut World,
    on: &str,
    text: &str,
    (shows, types, code): (&str, &str, i32),
) -> Result<(), String> {
    let script = format!("stty rows 50 cols 140; {text}");
    let arguments = ["-q", "-e", "-f", "-c", &script, "/dev/null"];
    let mut started = start(world, on, "script", &arguments, Stdio::piped());
    // The terminal lives as long as its other end.
    let mut keys = started.stdin();
    if started.shows(shows).is_none() {
        let ended = started.code();
        return Err(format!("never shows {shows:?}, and ends with {ended:?}{}", started.tail()));
    }
    keys.write_all(types.as_bytes()).unwrap();
    let ended = started.code();
    checked(world, &started, ended, code, "that is how it ends when it is told to")
}

/// Starts a server. It ends with the world.
fn stays(world: &mut World, on: &str, text: &str, shows: &str) -> Result<(), String> {
    let mut started = start(world, on, "bash", &["-c", text], Stdio::null());
    let shown = started.shows(shows);
    let out = shown.ok_or_else(|| format!("never shows {shows:?}{}", started.tail()));
    world.running.push(started);
    out
}

/// The same for a daemon of ours.
fn serves(world: &mut World, on: &str, text: &str) -> Result<(), String> {
    let started = start(world, on, "bash", &["-c", text], Stdio::null());
    let up = patiently(LOOK, || has_read(world.device(on)));
    let out = up.ok_or_else(|| format!("never answers{}", started.tail()));
    world.running.push(started);
    out
}

fn start(world: &World, on: &str, program: &str, arguments: &[&str], stdin: Stdio) -> Started {
    let mut command = world.command(on, program);
    command.args(arguments).stdin(stdin);
    Started::new(command, world.device(on).path(".said"))
}

fn checked(
    world: &mut World,
    started: &Started,
    ended: Option<i32>,
    code: i32,
    why: &str,
) -> Result<(), String> {
    world.printed += &started.said();
    if ended == Some(code) {
        return Ok(());
    }
    let ended = ended.map_or("does not end".to_owned(), |it| format!("ends with {it}"));
    Err(format!("{ended}, not with {code} ({why}){}", started.tail()))
}
