//! Passwords on command lines: the flags are ambiguous by themselves, so each rule names the
//! program and the flag together.

use super::super::password::{typed, typed_behind};
use super::super::rule::{Rule, named};

/// One word of a shell: in quotes, which may be escaped, or bare.
macro_rules! one_word {
    () => {
        concat!(
            r#"(?:\\"([^"\\\r\n]{3,128})\\"|"((?:[^"\\\r\n]|\\[^"\r\n]){3,128})"#,
            r#"|\\?'([^'\r\n]{3,128})|([^\s"'`|;&<>()\\,]{3,128}))"#,
        )
    };
}

/// A program, anything up to the end of its command or quotation, and a flag with its value:
/// attached, or separated by space, by `=`, or as the next element of a list.
macro_rules! command {
    ($programs:literal, $flag:literal, joined) => {
        command!($programs, $flag, "")
    };
    ($programs:literal, $flag:literal, apart) => {
        command!($programs, $flag, r#"(?:\s{1,4}|=|\\?["'],\s?)"#)
    };
    ($programs:literal, $flag:literal, either) => {
        command!($programs, $flag, r#"(?:\s{1,4}|=|\\?["'],\s?)?"#)
    };
    ($programs:literal, $flag:literal, $between:literal) => {
        concat!(
            r"(?:\b|\\[nrt])(?:",
            $programs,
            r#")(?:\.exe)?\b(?:[^\n|;&`\\]|\\[^n]){0,200}?[\s"'](?:"#,
            $flag,
            ")",
            $between,
            one_word!(),
        )
    };
}

/// The flags of `htpasswd`, one bundle of which looks as given; `-C` and `-r` have a number.
macro_rules! htpasswd_flags {
    ($one:literal) => {
        concat!(
            r"(?:-[a-zA-Z0-9]{1,12}\s{1,4}(?:\d{1,6}\s{1,4})?){0,3}-(?i:",
            $one,
            r")\s{1,4}(?:\d{1,6}\s{1,4})?(?:-[a-zA-Z0-9]{1,12}\s{1,4}(?:\d{1,6}\s{1,4})?){0,3}"
        )
    };
}

/// A file or a name.
macro_rules! htpasswd_word {
    () => {
        r"(?:[^\s|;&\\-]|\\[^n\s])(?:[^\s|;&\\]|\\[^n\s]){0,120}\s{1,4}"
    };
}

const KIND: &str = "command-password";

pub(super) const RULES: &[Rule] = &[
    // Another program follows in the same command, so the flags come first.
    named(
        KIND,
        &["sshpass"],
        concat!(
            r#"sshpass\\?["']?[\s,]\s{0,3}(?:-v\s{1,4})?\\?["']?-p(?:\s{1,4}|\\?["'],\s?)?"#,
            one_word!()
        ),
        typed,
    ),
    named(
        KIND,
        &["mysql", "mariadb"],
        command!(
            r"mysql(?:dump|admin|import|show|check|sh|pump|slap|binlog)?|mariadb(?:-[a-z]{1,12})?",
            "-p",
            joined
        ),
        typed_behind,
    ),
    named(KIND, &["7z", "rar"], command!(r"7z[ar]?|(?:un)?rar", "-h?p", joined), typed_behind),
    named(
        KIND,
        &[
            "mongo",
            "cqlsh",
            "cypher-shell",
            "rdesktop",
            "rabbitmqadmin",
            "evil-winrm",
            "psexec",
            "influx",
        ],
        command!(
            r"mongo(?:sh|dump|restore|import|export|stat|top|files)?|cqlsh|cypher-shell|rdesktop|rabbitmqadmin|evil-winrm|psexec|influx",
            "--?p(?:assword)?",
            apart
        ),
        typed,
    ),
    named(
        KIND,
        &["login"],
        command!(
            r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|regctl|cosign|az|oc|cf|argocd|registry|ibmcloud|rancher) login",
            "-p|--password",
            apart
        ),
        typed,
    ),
    named(
        KIND,
        &["zip", "sqlcmd", "bcp", "ipmitool", "mosquitto_"],
        command!(r"(?:un)?zip|sqlcmd|bcp|ipmitool|mosquitto_(?:pub|sub|rr)", "-P", either),
        typed,
    ),
    named(KIND, &["redis-cli"], command!("redis-cli", "-a|--pass", apart), typed),
    named(
        KIND,
        &["ldap"],
        command!("ldap(?:search|add|modify|delete|whoami|passwd|compare|modrdn)", "-w", either),
        typed,
    ),
    named(KIND, &["plink", "pscp", "psftp"], command!("plink|pscp|psftp", "-pw", apart), typed),
    named(
        KIND,
        &["smb", "rpcclient", "winexe"],
        command!(
            r"smb(?:client|get|map|cacls)|rpcclient|winexe",
            r#"(?:-U|--user)[ =]?(?:\\?["'])?[^\s%"']{1,64}%"#,
            joined
        ),
        typed,
    ),
    named(KIND, &["lftp"], command!("lftp", r#"-u ?(?:\\?["'])?[^\s,"']{1,64},"#, joined), typed),
    named(
        KIND,
        &["sqlplus"],
        concat!(
            r#"\bsqlplus\s{1,4}(?:-\S{1,8}\s{1,4}){0,3}["']?[A-Za-z][A-Za-z0-9_$]{0,40}/"#,
            one_word!()
        ),
        typed,
    ),
    named(KIND, &["freerdp"], command!("(?:x|wl)freerdp3?", "/p:", joined), typed),
    named(
        KIND,
        &["rabbitmqctl"],
        command!("rabbitmqctl", r"(?:add_user|change_password)\s{1,4}\S{1,64}", apart),
        typed,
    ),
    named(
        KIND,
        &["keytool", "jarsigner"],
        command!("keytool|jarsigner", "-(?:src|dest|new)?(?:store|key)pass", apart),
        typed,
    ),
    named(KIND, &["gpg"], command!("gpg2?", "--passphrase", apart), typed),
    named(KIND, &["ssh-keygen"], command!("ssh-keygen", "-[NP]", apart), typed),
    named(KIND, &["nmcli"], command!("nmcli", "password", apart), typed),
    named(
        KIND,
        &["mount"],
        command!(r"mount(?:\.cifs)?", r#"-o\s?["']?[^\s"']{0,120}?pass(?:word)?="#, joined),
        typed,
    ),
    // The last argument, behind a file and a name; `-n` takes a name only. The pattern counts the arguments: without
    // that, each scan of what is left of the command would take its next argument for the password.
    named(
        KIND,
        &["htpasswd"],
        concat!(
            r"(?m)\bhtpasswd\s{1,4}(?:",
            htpasswd_flags!("[a-z0-9]{0,6}b[a-z0-9]{0,6}"),
            htpasswd_word!(),
            "|",
            htpasswd_flags!("[a-z0-9]{0,6}(?:b[a-z0-9]{0,6}n|n[a-z0-9]{0,6}b)[a-z0-9]{0,6}"),
            "|",
            htpasswd_flags!("[a-z0-9]{0,6}b[a-z0-9]{0,6}"),
            htpasswd_flags!("[a-z0-9]{0,6}n[a-z0-9]{0,6}"),
            "|",
            htpasswd_flags!("[a-z0-9]{0,6}n[a-z0-9]{0,6}"),
            htpasswd_flags!("[a-z0-9]{0,6}b[a-z0-9]{0,6}"),
            ")",
            htpasswd_word!(),
            one_word!(),
            r#"["']?\s{0,4}(?:$|[|;&>"\\])"#,
        ),
        typed,
    ),
    named(
        KIND,
        &["pass:"],
        r#"-pass(?:in|out)?(?:\s{1,4}|\\?["'],\s?)(?:\\?"pass:([^"\\\r\n]{3,128})|\\?'pass:([^'\r\n]{3,128})|pass:([^\s"'`|;&<>()\\]{3,128}))"#,
        typed,
    ),
    named(KIND, &["openssl"], command!("openssl enc", "-[kK]", apart), typed),
    // The input of a program that reads its password.
    named(
        KIND,
        &["sudo", "stdin", "chpasswd", "passphrase-fd", "cryptsetup"],
        concat!(
            r#"\b(?:echo|printf)\s{1,4}(?:-[neE]{1,3}\s{1,4})?(?:\\?["']%s(?:\\{1,2}n)?\\?["']\s{1,4})?"#,
            one_word!(),
            r#"\\?["']?\s{0,4}\|\s{0,4}[^\n|;&]{0,80}?(?:sudo\s[^\n|;&]{0,40}?-[a-zA-Z]{0,4}S\b|--(?:password-)?stdin|chpasswd|--passphrase-fd[ =]0|cryptsetup)"#,
        ),
        typed,
    ),
    named(
        KIND,
        &["<<<"],
        concat!(
            r"\bsudo\s[^\n|;&<]{0,80}?-[a-zA-Z]{0,4}S\b[^\n|;&<]{0,200}?<<<\s{0,2}",
            one_word!()
        ),
        typed,
    ),
];
