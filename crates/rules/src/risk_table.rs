//! The signs of a risky command, as data.

use serde::{Deserialize, Serialize};

/// The level of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// No known risk.
    Low,
    /// It reaches beyond the project, or is hard to undo.
    Medium,
    /// It may destroy, publish or leak something important.
    High,
}

impl RiskLevel {
    /// The word used in replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// How a command starts, its options, and what they mean.
pub(super) struct Sign {
    /// The program and the words after it.
    pub(super) words: &'static str,
    /// One of these must be present, if any are listed.
    pub(super) options: &'static [&'static str],
    /// The risk.
    pub(super) level: RiskLevel,
    /// The effect.
    pub(super) why: &'static str,
}

const fn high(words: &'static str, options: &'static [&'static str], why: &'static str) -> Sign {
    Sign { words, options, level: RiskLevel::High, why }
}

const fn medium(words: &'static str, options: &'static [&'static str], why: &'static str) -> Sign {
    Sign { words, options, level: RiskLevel::Medium, why }
}

const OTHER_USER: &str = "acts with the rights of another user";
const FOLDERS: &str = "deletes whole folders";
const FILES: &str = "deletes files";
const DISKS: &str = "writes to disks as a whole";
const WORK: &str = "throws away work that is not committed";
const HISTORY: &str = "rewrites or deletes what others have";
const PUBLISHES: &str = "publishes";
const RUNNING: &str = "changes what runs elsewhere";
const GONE: &str = "deletes what runs or lies elsewhere";
const OPENS: &str = "opens files to others";
const ENDS: &str = "ends processes or the machine";
const STAYS: &str = "leaves something that runs later";
const ANSWERS: &str = "answers for you";
const CODE: &str = "runs code given as an argument";
const NETWORK: &str = "speaks to the network";
const INSTALLS: &str = "installs, and may run, what others wrote";
const PRINTS: &str = "shows secrets";

/// Every known sign; the worst match counts.
pub(super) const SIGNS: &[Sign] = &[
    high("sudo", &[], OTHER_USER),
    high("doas", &[], OTHER_USER),
    high("su", &[], OTHER_USER),
    high("pkexec", &[], OTHER_USER),
    high("rm", &["-r", "-R", "--recursive"], FOLDERS),
    high("find", &["-delete"], FOLDERS),
    medium("rm", &[], FILES),
    medium("rmdir", &[], FILES),
    medium("unlink", &[], FILES),
    medium("truncate", &[], FILES),
    medium("git rm", &[], FILES),
    high("shred", &[], FILES),
    high("rsync", &["--delete"], FOLDERS),
    high("dd", &["of="], DISKS),
    high("mkfs", &[], DISKS),
    high("mkfs.ext4", &[], DISKS),
    high("fdisk", &[], DISKS),
    high("parted", &[], DISKS),
    high("wipefs", &[], DISKS),
    high("diskutil", &[], DISKS),
    high("git reset", &["--hard"], WORK),
    high("git clean", &["-f", "--force"], WORK),
    high("git stash drop", &[], WORK),
    high("git stash clear", &[], WORK),
    medium("git checkout", &["-f", "--", "--force"], WORK),
    medium("git restore", &[], WORK),
    medium("git branch", &["-D"], WORK),
    medium("git worktree remove", &["-f", "--force"], WORK),
    high(
        "git push",
        &["-f", "-d", "--force", "--force-with-lease", "--mirror", "--delete", "--prune", "+", ":"],
        HISTORY,
    ),
    high("git filter-branch", &[], HISTORY),
    high("git filter-repo", &[], HISTORY),
    medium("git push", &[], PUBLISHES),
    medium("npm publish", &[], PUBLISHES),
    medium("pnpm publish", &[], PUBLISHES),
    medium("yarn publish", &[], PUBLISHES),
    medium("cargo publish", &[], PUBLISHES),
    medium("twine upload", &[], PUBLISHES),
    medium("docker push", &[], PUBLISHES),
    medium("gh release", &[], PUBLISHES),
    medium("gh pr merge", &[], PUBLISHES),
    high("gh repo delete", &[], GONE),
    high("terraform destroy", &[], GONE),
    high("kubectl delete", &[], GONE),
    high("helm uninstall", &[], GONE),
    high("docker system prune", &[], GONE),
    high("docker volume rm", &[], GONE),
    high("dropdb", &[], GONE),
    high("aws s3 rb", &[], GONE),
    high("aws s3 rm", &[], GONE),
    medium("terraform apply", &[], RUNNING),
    medium("kubectl", &[], RUNNING),
    medium("helm", &[], RUNNING),
    medium("ansible-playbook", &[], RUNNING),
    high("chmod", &["777", "a+rwx", "0777", "o+w", "a+w"], OPENS),
    medium("chmod", &["-R"], OPENS),
    medium("chown", &[], OPENS),
    high("shutdown", &[], ENDS),
    high("reboot", &[], ENDS),
    high("poweroff", &[], ENDS),
    medium("kill", &[], ENDS),
    medium("killall", &[], ENDS),
    medium("pkill", &[], ENDS),
    medium("crontab", &[], STAYS),
    medium("at", &[], STAYS),
    medium("systemctl", &[], STAYS),
    medium("launchctl", &[], STAYS),
    medium("git config", &["--global", "--system", "core.hooksPath"], STAYS),
    high("taffrail approve", &[], ANSWERS),
    high("taffrail deny", &[], ANSWERS),
    high("taffrail rules", &[], ANSWERS),
    high("taffrail hooks", &[], ANSWERS),
    high("taffrail send", &[], ANSWERS),
    medium("sh", &["-c"], CODE),
    medium("bash", &["-c"], CODE),
    medium("zsh", &["-c"], CODE),
    medium("eval", &[], CODE),
    medium("python", &["-c"], CODE),
    medium("python3", &["-c"], CODE),
    medium("perl", &["-e", "-E"], CODE),
    medium("ruby", &["-e"], CODE),
    medium("node", &["-e", "-p", "--eval", "--print"], CODE),
    medium("php", &["-r"], CODE),
    medium("osascript", &[], CODE),
    medium("curl", &[], NETWORK),
    medium("wget", &[], NETWORK),
    medium("ssh", &[], NETWORK),
    medium("scp", &[], NETWORK),
    medium("sftp", &[], NETWORK),
    medium("rsync", &[], NETWORK),
    medium("nc", &[], NETWORK),
    medium("ncat", &[], NETWORK),
    medium("socat", &[], NETWORK),
    medium("telnet", &[], NETWORK),
    medium("ftp", &[], NETWORK),
    medium("npm install", &[], INSTALLS),
    medium("npm i", &[], INSTALLS),
    medium("npm add", &[], INSTALLS),
    medium("npx", &[], INSTALLS),
    medium("pnpm add", &[], INSTALLS),
    medium("pnpm dlx", &[], INSTALLS),
    medium("yarn add", &[], INSTALLS),
    medium("pip install", &[], INSTALLS),
    medium("pip3 install", &[], INSTALLS),
    medium("pipx", &[], INSTALLS),
    medium("uvx", &[], INSTALLS),
    medium("cargo install", &[], INSTALLS),
    medium("go install", &[], INSTALLS),
    medium("gem install", &[], INSTALLS),
    medium("brew install", &[], INSTALLS),
    medium("apt", &[], INSTALLS),
    medium("apt-get", &[], INSTALLS),
    medium("dnf", &[], INSTALLS),
    medium("printenv", &[], PRINTS),
    medium("gh auth token", &[], PRINTS),
    medium("security", &[], PRINTS),
    medium("pass", &[], PRINTS),
];

/// Programs that write to their file arguments.
pub(super) const WRITERS: &[&str] =
    &["tee", "cp", "mv", "ln", "install", "touch", "mkdir", "rm", "rmdir", "truncate", "unlink"];

/// Programs that fetch from the network.
pub(super) const ELSEWHERE: &[&str] =
    &["curl", "wget", "fetch", "aria2c", "http", "https", "nc", "ncat"];

/// System folders.
pub(super) const SYSTEM: &[&str] = &[
    "/etc/",
    "/usr/",
    "/bin/",
    "/sbin/",
    "/boot/",
    "/lib/",
    "/dev/sd",
    "/dev/nvme",
    "/dev/disk",
    "/proc/",
    "/sys/",
    "/System/",
    "/Library/",
];

/// Files and folders with secrets; a `*` matches any prefix.
pub(super) const SECRETS: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production",
    ".ssh",
    "id_rsa",
    "id_ed25519",
    ".aws",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".gnupg",
    ".git-credentials",
    ".kube",
    ".docker/config.json",
    "credentials.json",
    ".credentials.json",
    "/etc/shadow",
    ".vault-token",
    ".pgpass",
    "secrets.yaml",
    "secrets.yml",
    "*.pem",
    "*.p12",
    "*.kdbx",
];
