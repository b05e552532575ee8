//! This program as a process: its arguments, its path, its memory.

use crate::{Env, EnvError, system};
use std::path::{Component, PathBuf};

/// The arguments of the process.
pub fn arguments() -> std::env::ArgsOs {
    std::env::args_os()
}

/// The path for calling this program again. A name that the user gave it stays valid when a newer
/// version replaces the program, so it is preferred to the real path.
///
/// # Errors
/// If the system does not say where this program is.
pub fn own_path(env: &Env) -> Result<PathBuf, EnvError> {
    let real = std::env::current_exe().map_err(EnvError::NoProgram)?;
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let folders = env.variables.get("PATH").map(std::env::split_paths).into_iter().flatten();
    let mut names: Vec<PathBuf> = match called.components().count() {
        0 | 1 => folders.filter(|it| it.is_absolute()).map(|it| it.join(&called)).collect(),
        _ => vec![env.here.join(&called).components().collect()],
    };
    names.retain(|it| it.is_absolute() && it.components().all(|part| part != Component::ParentDir));
    let same = |it: &PathBuf| it.canonicalize().ok() == real.canonicalize().ok();
    Ok(names.into_iter().find(same).unwrap_or(real))
}

/// How this program was called: by its name, or by its absolute path.
#[must_use]
pub fn program() -> String {
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    if called.components().count() < 2 {
        return "taffrail".to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    here.join(called).to_string_lossy().into_owned()
}

/// Excludes the memory of this process from core files, and from other processes of the user. Only
/// for the daemon: a caller must stay inspectable, because the daemon identifies it.
pub fn close_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // A child process may raise its own limit again.
    let none = Rlimit { current: Some(0), ..getrlimit(Resource::Core) };
    // Best effort: if this fails, memory is as open as that of every other program.
    setrlimit(Resource::Core, none).ok();
    system::close_memory_to_others();
}
