use super::*;
use std::sync::LazyLock;

static SECRETS: LazyLock<Secrets> = LazyLock::new(|| Secrets::new(&[]).unwrap());

/// The bytes with stars in place of secrets.
fn redacted(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for secret in SECRETS.find(text.as_bytes()) {
        bytes[secret.at].fill(b'*');
    }
    String::from_utf8(bytes).unwrap()
}

/// In each line, the secret stands in brackets.
const CORPUS: &str = include_str!("corpus.txt");

#[test]
fn secrets_are_found_whole_and_nothing_beside_them() {
    let unescaped =
        |text: &str| text.replace("\\\\", "\u{1}").replace("\\r", "\r").replace("\\n", "\n").replace('\u{1}', "\\");
    let lines = CORPUS.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let mut count = 0;
    for line in lines {
        let line = unescaped(line);
        let (mut text, mut expected, mut inside) = (String::new(), String::new(), false);
        for c in line.chars() {
            match c {
                '⟦' => inside = true,
                '⟧' => inside = false,
                _ => {
                    text.push(c);
                    expected.push(if inside { '*' } else { c });
                }
            }
        }
        assert_eq!(redacted(&text), expected, "{line}");
        count += 1;
    }
    assert!(count > 80, "{count} lines");
}

/// A copy may begin or end within a text.
#[test]
fn cut_secrets() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v";
    for end in 37..key.len() {
        let shown = redacted(&key[..end]);
        assert!(shown[36..].bytes().all(|byte| byte == b'*'), "{shown}");
    }
    assert_eq!(redacted("Authorization: Bearer abc"), "Authorization: Bearer ***");
    assert_eq!(redacted("PASSWORD="), "PASSWORD=");
    assert_eq!(redacted("with ghp_16C7e42F"), "with ************");
    assert_eq!(redacted("ghp_16C7e42F is too short"), "ghp_16C7e42F is too short");
}

#[test]
fn options_of_programs() {
    let secrets = &SECRETS;
    for option in
        ["--password", "-password", "--db-password", "--token", "--api-key", "--apikey", "--proxy-pass", "--passphrase"]
    {
        assert!(secrets.is_option_of(option.as_bytes(), b"x"), "{option}");
    }
    for option in ["--passive", "-p", "--no-passwords", "password", "--tokenize", "--token=x", "--user"] {
        assert!(!secrets.is_option_of(option.as_bytes(), b"x"), "{option}");
    }
    assert!(secrets.is_option_of(b"-u", b"name:word") && !secrets.is_option_of(b"-u", b"1000"));
}

#[test]
fn files_of_secrets() {
    let secrets = &SECRETS;
    for path in [
        "/etc/shadow",
        "/home/a/.ssh/id_ed25519",
        "/etc/ssh/ssh_host_rsa_key",
        "/root/.netrc",
        "/srv/app/.env",
        "/srv/app/.env.production",
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "/etc/ssl/private/server.pem",
        "/srv/tls.key",
    ] {
        assert!(secrets.is_secret_file(path.as_bytes()), "{path}");
    }
    for path in [
        "/etc/passwd",
        "/home/a/.ssh/id_ed25519.pub",
        "/home/a/.ssh/known_hosts",
        "/etc/ssl/certs/ca.pem",
        "/usr/bin/env",
        "/etc/shadowed",
    ] {
        assert!(!secrets.is_secret_file(path.as_bytes()), "{path}");
    }
}

#[test]
fn patterns_of_the_user() {
    let secrets = Secrets::new(&["customer-(\\d+)".into(), "hush".into()]).unwrap();
    let own = |at| FoundSecret { kind: SecretKind::Own, at };
    assert_eq!(secrets.find(b"customer-1234 hush"), [own(9..13), own(14..18)]);
    assert!(Secrets::new(&["(".into()]).is_err());
}

/// Any bytes may come.
#[test]
fn any_bytes() {
    let mut state = 7u64;
    for len in (0..2000).step_by(11) {
        let bytes: Vec<u8> = (0..len)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 57) as u8
            })
            .collect();
        for secret in SECRETS.find(&bytes) {
            assert!(secret.at.end <= len && !secret.at.is_empty());
        }
    }
}
