//! `taffrail web`

use super::{Context, TEMPLATE, daemon};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use serde_json::json;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_api::{ErrorKind, WEB_PORT, WebBody, WebReply};
use taffrail_env as env;

/// The file a browser is shown first; it holds a code that counts once and for a minute.
const DOOR: &str = "enter.html";

/// How long an opener is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Open the board in a browser
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail web                open the board in your browser
  taffrail web --print-url    print an address; it works once, for a minute
  taffrail web --phone        print an address under web.public_url, for a phone
  taffrail web --port 8080    use this port
")]
pub(super) struct Args {
    /// Only print an address; it works once, for a minute
    #[arg(long)]
    print_url: bool,
    /// Print an address under `web.public_url`, your own tunnel; it works once, for a minute
    #[arg(long, conflicts_with = "print_url")]
    phone: bool,
    /// Listen at this port of 127.0.0.1; 0 picks a free port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = daemon::ensured(context)?;
    let code = code()?;
    let (url, public) = entrance(&client, &code, args.port)?;
    let url = if args.phone { public.ok_or_else(no_tunnel)? } else { url };
    if args.print_url || args.phone {
        let mut out = Out::new();
        let address = format!("{url}/enter?code={code}");
        if context.json {
            return out.json(&json!({"schema_version": 1, "url": address, "opened": false}));
        }
        out.line(&address)?;
        return out.end();
    }
    let file = write_door(&context.env.runtime_folder(), &url, &code)?;
    if open(&file, context) {
        if context.json {
            return Out::new().json(&json!({"schema_version": 1, "url": url, "opened": true}));
        }
        say(&format!("opened {url}"));
        return Ok(());
    }
    Err(CliError {
        kind: ErrorKind::Failure,
        message: "cannot open a browser".to_owned(),
        hint: Some("taffrail web --print-url".to_owned()),
    })
}

/// Sixty-four digits nobody can guess.
fn code() -> Result<String, CliError> {
    let mut text = String::new();
    for byte in env::secret()? {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    Ok(text)
}

/// Where the browser is let in. The usual port may be taken by another program: then any will do.
fn entrance(
    client: &Client,
    code: &str,
    port: Option<u16>,
) -> Result<(String, Option<String>), CliError> {
    let ask = |port: u16| {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        client.post::<WebReply>("/api/web", &WebBody { code: code.to_owned(), address })
    };
    let told = match port {
        Some(port) => ask(port),
        None => ask(WEB_PORT).or_else(|_| ask(0)),
    };
    let WebReply { url, public_url, .. } = told?;
    match port.filter(|it| *it != 0 && !url.ends_with(&format!(":{it}"))) {
        Some(_) => {
            Err(CliError::usage(format!("the daemon already listens at {url}"), "taffrail web"))
        }
        None => Ok((url, public_url)),
    }
}

fn no_tunnel() -> CliError {
    let hint = "taffrail config set web.public_url https://NAME; docs/phone.md has the ways";
    CliError::refused("no address of a tunnel is set".to_owned(), hint.to_owned())
}

/// A file only its user can read. The code is posted from it, so that no list of processes
/// and no history has it.
fn write_door(folder: &Path, url: &str, code: &str) -> Result<PathBuf, CliError> {
    let path = folder.join(DOOR);
    // A leftover file; its code is no longer valid.
    fs::remove_file(&path).ok();
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Taffrail</title>\n\
         <form method=\"post\" action=\"{url}/enter\"><input type=\"hidden\" name=\"code\" \
         value=\"{code}\"><button>Open the board</button></form>\n\
         <script>document.forms[0].submit()</script>\n"
    );
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let written = options.open(&path).and_then(|mut it| it.write_all(text.as_bytes()));
    written.with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

/// Asks the user's browser, then the system's opener.
fn open(file: &Path, context: &Context) -> bool {
    let browser = context.env.variables.get("BROWSER").map(String::as_str);
    let openers = browser.into_iter().chain(["xdg-open", "open"]);
    openers.filter(|it| !it.is_empty()).any(|opener| {
        let mut process = Process::new(opener);
        process.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        process.spawn().is_ok_and(|mut it| is_welcome(&mut it))
    })
}

/// An opener that cannot open anything says so soon; one that goes on is the browser itself.
fn is_welcome(opener: &mut Child) -> bool {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match opener.try_wait() {
            Ok(Some(code)) => return code.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    true
}
