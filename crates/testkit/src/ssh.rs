//! A real SSH server on loopback, whose sessions run in a home of a test, and a client that knows it.

use crate::Home;
use crate::hubs::port;
use crate::hubs::spawn;
use crate::process::until;
use std::fs::{self, Permissions};
use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tempfile::TempDir;

/// The server wants its absolute path; it is often not on the `PATH`.
const SSHD: &str = "/usr/sbin/sshd";
/// A server that root starts needs this folder.
const SEPARATION: &str = "/run/sshd";

/// An SSH server for the current user. It ends with the test.
#[derive(Debug)]
pub struct SshServer {
    port: u16,
    child: Child,
    folder: TempDir,
}

impl SshServer {
    /// Starts one; its sessions run in this home, and find this program as `taffrail`.
    #[must_use]
    pub fn start(home: &Home, program: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("taffrail-ssh-").tempdir().unwrap();
        if rustix::process::geteuid().is_root() {
            fs::create_dir_all(SEPARATION).unwrap();
        }
        let port = port::free();
        for key in ["host", "key"] {
            made_key(&folder.path().join(key));
        }
        for (name, text) in [
            ("conf", server_conf(folder.path(), port, home)),
            ("config", client_conf(folder.path())),
            ("known", known(folder.path(), port)),
            ("authorized", fs::read_to_string(folder.path().join("key.pub")).unwrap()),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let child = run(folder.path());
        let server = Self { port, child, folder };
        server.write_client();
        server.install(&format!("exec {} \"$@\"", program.display()));
        server.wait();
        server
    }

    /// Its address for `taffrail link`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("ssh://127.0.0.1:{}", self.port)
    }

    /// The folder of the client `ssh` that knows it; the first of a `PATH`.
    #[must_use]
    pub fn client(&self) -> PathBuf {
        self.path("client")
    }

    /// Runs this script of a shell as `taffrail` there.
    pub fn install(&self, script: &str) {
        executable(&self.path("there/taffrail"), &format!("#!/bin/sh\n{script}\n"));
    }

    /// Removes `taffrail` there.
    pub fn uninstall(&self) {
        fs::remove_file(self.path("there/taffrail")).unwrap();
    }

    /// The client no longer knows the key of the server.
    pub fn forget(&self) {
        fs::write(self.path("known"), "").unwrap();
    }

    /// How often the client was run.
    #[must_use]
    pub fn runs(&self) -> usize {
        fs::read_to_string(self.path("runs")).unwrap_or_default().lines().count()
    }

    /// Kills the clients that run, by their ids.
    pub fn kill_clients(&self) {
        let conf = self.path("config");
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let is_client = words.starts_with(b"/usr/bin/ssh\0")
                && String::from_utf8_lossy(&words).contains(conf.to_str().unwrap());
            if is_client {
                let pid = entry.file_name().into_string().unwrap();
                // It may end by itself meanwhile.
                Command::new("/bin/kill").args(["-KILL", &pid]).status().ok();
            }
        }
    }

    /// Accepts no more connections; those there are stay.
    pub fn stop_listening(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Accepts connections again.
    pub fn listen_again(&mut self) {
        self.child = run(self.folder.path());
        self.wait();
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn wait(&self) {
        until("the SSH server", || {
            let mut greeting = [0; 4];
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
            stream.read_exact(&mut greeting).ok().filter(|()| greeting == *b"SSH-")
        });
    }

    fn write_client(&self) {
        let (config, runs) = (self.path("config"), self.path("runs"));
        let script = format!(
            "#!/bin/sh\necho \"$@\" >>{}\nexec /usr/bin/ssh -F {} \"$@\"\n",
            runs.display(),
            config.display()
        );
        executable(&self.path("client/ssh"), &script);
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        self.kill_clients();
        // The server may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn run(folder: &Path) -> Child {
    let word = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let words = ["-D".to_owned(), "-f".to_owned(), word("conf"), "-E".to_owned(), word("log")];
    spawn::tied(SSHD, &words)
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

fn made_key(path: &Path) {
    let mut command = Command::new("ssh-keygen");
    let made = command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path).status();
    assert!(made.expect("`ssh-keygen` is there").success());
}

/// The configuration of the server. The environment of its sessions is that of the home.
fn server_conf(folder: &Path, port: u16, home: &Home) -> String {
    let own = home.any_command(Path::new("true"), home.root());
    let names = [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
    ];
    let variables = own.get_envs().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value?.to_str()?);
        names.contains(&name).then(|| format!("{name}={value}"))
    });
    let variables: Vec<_> = variables.collect();
    let folder = folder.display();
    format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n\
         PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin yes\nPrintMotd no\nSetEnv {} PATH={folder}/there:/usr/bin:/bin\n",
        variables.join(" ")
    )
}

fn client_conf(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "Host *\n  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n  \
         GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  BatchMode yes\n"
    )
}

fn known(folder: &Path, port: u16) -> String {
    let key = fs::read_to_string(folder.join("host.pub")).unwrap();
    format!("[127.0.0.1]:{port} {key}")
}
