//! The forms of secrets. The first group of a pattern is the secret; without a group all of the match is.

use super::kind::SecretKind;

pub struct SecretForm {
    pub kind: SecretKind,
    pub pattern: &'static str,
    /// The secret must look random.
    pub random: bool,
}

const fn form(kind: SecretKind, pattern: &'static str) -> SecretForm {
    SecretForm { kind, pattern, random: false }
}

/// A token: its beginning, the bytes that it is made of, and how many of these it has at least. One that is cut has fewer.
macro_rules! token {
    ($beginning:literal, $bytes:literal, $least:literal) => {
        concat!(r"(?-u)\b", $beginning, "(?:", $bytes, "{", $least, ",}|", $bytes, r"+\z)")
    };
}

/// Names whose values are secrets, by the words at their ends. (The last part of a path is no such name: `/etc/passwd: No such file`.)
macro_rules! secret_name {
    () => {
        r"(?:^|[^/0-9a-z_.-])[0-9a-z_.-]*(?:pass(?:word|wd|phrase|code)|secret|token|api[_-]?key|access[_-]?key(?:[_-]id)?|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?|_pwd|_pass|[_-]auth|authtoken|client[_-]key[_-]data|pgpassword)s?"
    };
}

pub const FORMS: &[SecretForm] = &[
    // Services that give tokens a beginning of their own, so that they are found.
    form(SecretKind::Token, token!(r"(?:AKIA|ASIA|ABIA|ACCA)", r"[0-9A-Z]", "16")),
    form(SecretKind::Token, token!(r"gh[pousr]_", r"[0-9A-Za-z]", "20")),
    form(SecretKind::Token, token!(r"github_pat_", r"[0-9A-Za-z_]", "20")),
    form(SecretKind::Token, token!(r"gl(?:pat|ptt|rt|dt|cbt|soat)-", r"[0-9A-Za-z_-]", "16")),
    form(SecretKind::Token, token!(r"xox[abeoprs]-", r"[0-9A-Za-z-]", "10")),
    form(SecretKind::Token, r"(?-u)\bhooks\.slack\.com/services/(T[0-9A-Za-z_/]*)"),
    form(SecretKind::Token, token!(r"AIza", r"[0-9A-Za-z_-]", "30")),
    form(SecretKind::Token, token!(r"ya29\.", r"[0-9A-Za-z_-]", "20")),
    form(SecretKind::Token, token!(r"(?:sk|rk|pk)_(?:live|test)_", r"[0-9A-Za-z]", "10")),
    form(SecretKind::Token, token!(r"sk-(?:ant-|proj-)?", r"[0-9A-Za-z_-]", "20")),
    form(SecretKind::Token, token!(r"npm_", r"[0-9A-Za-z]", "30")),
    form(SecretKind::Token, token!(r"pypi-", r"[0-9A-Za-z_-]", "30")),
    form(SecretKind::Token, token!(r"SG\.", r"[0-9A-Za-z_.-]", "40")),
    form(SecretKind::Token, token!(r"hf_", r"[0-9A-Za-z]", "20")),
    form(SecretKind::Token, token!(r"do[opr]_v1_", r"[0-9a-f]", "20")),
    form(SecretKind::Token, token!(r"hv[sbr]\.", r"[0-9A-Za-z_-]", "20")),
    form(SecretKind::Token, token!(r"AGE-SECRET-KEY-1", r"[0-9A-Z]", "20")),
    form(SecretKind::Token, token!(r"eyJ", r"[0-9A-Za-z_.-]", "20")),
    // A key goes to its last line, or to the end of what was copied.
    form(SecretKind::PrivateKey, r"(?s-u)-----BEGIN [0-9A-Z ]*PRIVATE KEY(?: BLOCK)?-----([^-]*)"),
    form(SecretKind::PrivateKey, r"(?-u)PuTTY-User-Key-File[^\x00]*?Private-Lines: \d+\r?\n([^\x00]*)"),
    // NAME=value, name: value, "name": "value", name => 'value'.
    form(
        SecretKind::Value,
        concat!(r#"(?i-u)"#, secret_name!(), r#"["']?[ \t]*(?:=>|[=:])[ \t]*["']?([^\s"',;&\x00]+)"#),
    ),
    form(SecretKind::Value, concat!(r#"(?i-u)"#, secret_name!(), r#"["']?[ \t]*(?:=>|[=:])[ \t]*"([^"\x00]+)"#)),
    form(SecretKind::Value, concat!(r#"(?i-u)"#, secret_name!(), r#"["']?[ \t]*(?:=>|[=:])[ \t]*'([^'\x00]+)"#)),
    form(SecretKind::Value, r"(?i-u)\blogin[ \t]+\S+\s+password[ \t]+([^\s\x00]+)"),
    form(SecretKind::Value, r"(?i-u)\b(?:identified[ \t]+by|with[ \t]+password|password)[ \t]+'([^'\x00]+)"),
    SecretForm {
        kind: SecretKind::Value,
        pattern: r#"(?i-u)\b[0-9a-z_-]*(?:key|auth|signature|seed|salt|pin)["']?[ \t]*[=:][ \t]*["']?([0-9a-z+/_=-]+)"#,
        random: true,
    },
    // Headers of HTTP and the like, also in texts of programs, where the line before ends with the characters `\r\n`.
    form(
        SecretKind::Credentials,
        r#"(?i-u)(?:\b|\\[nr])(?:proxy-)?authorization["']?[ \t]*:[ \t]*["']?(?:(?:basic|bearer|digest|negotiate|token|apikey)[ \t]+)?([^\r\n"'\x00]+)"#,
    ),
    form(SecretKind::Credentials, r"(?i-u)(?:\b|\\[nr])(?:set-)?cookie2?[ \t]*:[ \t]*([^\r\n\x00]+)"),
    form(
        SecretKind::Credentials,
        r"(?i-u)(?:\b|\\[nr])x-[0-9a-z-]*(?:key|token|auth|secret|signature)[0-9a-z-]*[ \t]*:[ \t]*([^\r\n\x00]+)",
    ),
    // FTP, POP3, SMTP, IMAP, Redis.
    form(SecretKind::Credentials, r"(?-u)(?:^|\n)PASS[ \t]+([^\r\n\x00]+)"),
    form(SecretKind::Credentials, r"(?i-u)(?:^|\n)auth[ \t]+(?:plain|login|cram-md5|xoauth2)[ \t]+([^\r\n\x00]+)"),
    form(SecretKind::Credentials, r"(?i-u)(?:^|\n)[0-9a-z]+[ \t]+login[ \t]+\S+[ \t]+([^\r\n\x00]+)"),
    form(SecretKind::Credentials, r"(?i-u)\bauth\r\n(?:\$\d+\r\n[^\r\n]*\r\n)?\$\d+\r\n([^\r\n\x00]+)"),
    // https://user:password@host, ?token=...
    form(SecretKind::Url, r#"(?i-u)\b[a-z][0-9a-z+.-]*://[^\s/:@"'\x00]*:([^\s/@"'\x00]+)@"#),
    form(
        SecretKind::Url,
        r#"(?i-u)[?&][0-9a-z_.-]*(?:key|sig|signature|code|auth|pwd|jwt|session|sid|credential|x-amz-security-token)=([^\s&"'#\x00]+)"#,
    ),
    // crypt(5).
    form(SecretKind::Hash, r"(?-u)(\$(?:1|2[abxy]?|5|6|7|y|gy|sm3|sha1|argon2(?:id?|d))\$[0-9A-Za-z./$,=+-]{8,})"),
];

/// An option of a program, if the next argument is a secret.
pub const OPTION: &str = concat!(
    r"(?i-u)^--?(?:[0-9a-z]+-)*",
    "(?:pass(?:word|wd|phrase)?|secret|token|api-?key|access-?key|secret-?key|private-?key|auth-?token|oauth2-bearer|storepass|keypass)$"
);

/// An option of a program, if the next argument has a name and a password: `-u name:password`.
pub const PAIR_OPTION: &str = r"(?-u)^(?:-u|-U|--user|--proxy-user)$";

/// The paths of files that hold secrets.
pub const FILES: &str = concat!(
    r"(?-u)(?:^|/)(?:",
    r"etc/g?shadow-?",
    r"|\.ssh/id_[^/]*[^b/]|ssh_host_[^/]*_key",
    r"|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.npmrc|\.pypirc",
    r"|\.aws/credentials|\.docker/config\.json|\.kube/config|\.config/gh/hosts\.yml|\.config/gcloud/[^/]*(?:credentials|tokens)[^/]*",
    r"|\.gnupg/(?:private-keys-v1\.d/[^/]*|secring\.gpg)|etc/ssl/private/[^/]*|etc/krb5\.keytab|[^/]*\.keytab",
    r"|run/secrets/.*|var/run/secrets/.*",
    r"|[^/]*\.(?:p12|pfx|jks|keystore|kdbx|agekey)|[^/]*(?:private|secret|server|client|tls|privkey)[^/]*\.(?:key|pem)|[^/]*\.key",
    r"|\.env(?:\.[^/]*)?",
    r")$",
);
