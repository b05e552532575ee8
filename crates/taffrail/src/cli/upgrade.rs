//! `taffrail upgrade`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde_json::json;
use std::path::Path;
use taffrail_api::SCHEMA_VERSION;
use taffrail_env::own_path;
use taffrail_server::releases::latest;

const RELEASES: &str =
    concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/latest/download/SHA256SUMS");

/// Show this version and the command that upgrades it
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail upgrade --check          this version, and how to upgrade it
  taffrail upgrade --check --ask    also ask for the latest version
Taffrail never upgrades itself, and asks nobody without --ask.
")]
pub(super) struct Args {
    /// Show the version; this is what the command does in any case
    #[arg(long)]
    check: bool,
    /// Ask the releases page for the latest version
    #[arg(long)]
    ask: bool,
    /// Ask this address, which answers as a release's SHA256SUMS, instead
    #[arg(long, value_name = "URL", requires = "ask", default_value = RELEASES)]
    #[arg(hide_default_value = true)]
    from: String,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let version = env!("CARGO_PKG_VERSION");
    let program = own_path(&context.env)?;
    let (by, command) = installed_by(&program, Path::new(DEB).exists());
    let newest = args.ask.then(|| latest(&args.from)).transpose().map_err(|error| {
        CliError::refused(
            format!("{} does not say which version is the latest: {error}", args.from),
            "check the connection, or look at the releases page yourself",
        )
    })?;
    if context.json {
        return Out::new().json(&json!({
            "schema_version": SCHEMA_VERSION, "version": version, "build": env!("TAFFRAIL_VERSION"),
            "asked": args.ask, "latest": newest, "installed_by": by, "command": command,
        }));
    }
    let mut out = Out::new();
    out.line(&format!("taffrail {}", env!("TAFFRAIL_VERSION")))?;
    out.line(&match newest {
        None => "Did not ask for the latest version; --ask does.".to_owned(),
        Some(newest) if newest == version => "This is the latest version.".to_owned(),
        Some(newest) => format!("The latest version is {newest}."),
    })?;
    out.line(&format!("Upgrade with: {command}"))?;
    out.line("The daemon keeps running its old version until: taffrail daemon restart")?;
    out.end()
}

/// There where dpkg installed the package.
const DEB: &str = "/var/lib/dpkg/info/taffrail.list";

/// Who installed the program at this path, and the command that upgrades it.
fn installed_by(program: &Path, has_deb: bool) -> (&'static str, &'static str) {
    let path = program.to_string_lossy();
    let has = |part: &str| path.contains(part);
    match () {
        () if has("/node_modules/") => ("npm", "npm install -g taffrail@latest"),
        () if has("/uv/tools/") => ("uv", "uv tool upgrade taffrail"),
        () if has("/pipx/") => ("pipx", "pipx upgrade taffrail"),
        () if has("/nix/store/") => ("nix", "nix profile upgrade taffrail"),
        () if has("/Cellar/") || has("/homebrew/") || has("/linuxbrew/") => {
            ("homebrew", "brew upgrade taffrail")
        }
        () if has("/.cargo/bin/") => ("cargo", "cargo binstall taffrail"),
        () if has_deb && path == "/usr/bin/taffrail" => {
            ("deb", "sudo apt install ./taffrail_VERSION_amd64.deb")
        }
        () if path == "/usr/bin/taffrail" => ("system", "your distribution's package manager"),
        () => ("archive", "sh install.sh, from the new release's archive"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_program_is_tells_who_installed_it() {
        let check = |path: &str, has_deb: bool, expected: &str| {
            assert_eq!(installed_by(Path::new(path), has_deb).0, expected, "{path}");
        };
        check("/usr/bin/taffrail", true, "deb");
        check("/usr/bin/taffrail", false, "system");
        check("/h/.local/bin/taffrail", true, "archive");
        check("/h/.cargo/bin/taffrail", false, "cargo");
        check("/h/app/node_modules/@taffrail/linux-x64/bin/taffrail", false, "npm");
        check("/h/.local/share/uv/tools/taffrail/bin/taffrail", false, "uv");
        check("/h/.local/share/pipx/venvs/taffrail/bin/taffrail", false, "pipx");
        check("/nix/store/x-taffrail-0.1.0/bin/taffrail", false, "nix");
        check("/opt/homebrew/bin/taffrail", false, "homebrew");
    }
}
