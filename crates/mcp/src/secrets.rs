//! Secrets in the words and the output of a command. All else is redacted by `stride`.

use stride_filter::Secrets;

/// Puts stars in place of secrets, unless the user wants to see them.
pub struct Stars(Option<Secrets>);

impl Stars {
    pub fn new(redact: bool) -> Stars {
        // (The forms are constants, which a test of their crate compiles.)
        Stars(redact.then(|| Secrets::new(&[]).ok()).flatten())
    }

    pub fn text(&self, bytes: &[u8]) -> String {
        let mut bytes = bytes.to_vec();
        if let Some(secrets) = &self.0 {
            for secret in secrets.find(&bytes.clone()) {
                bytes[secret.at].fill(b'*');
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The words of a command line. A word may be the value of the option before it.
    pub fn words(&self, words: &[String]) -> Vec<String> {
        let is_value = |at: usize, word: &str| match (&self.0, at.checked_sub(1)) {
            (Some(secrets), Some(before)) => secrets.is_option_of(words[before].as_bytes(), word.as_bytes()),
            _ => false,
        };
        let shown = |(at, word): (usize, &String)| match is_value(at, word) {
            true => "*".repeat(word.len()),
            false => self.text(word.as_bytes()),
        };
        words.iter().enumerate().map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_output_have_no_secrets() {
        let stars = Stars::new(true);
        let words = ["deploy", "--token", "abc123", "DB_PASSWORD=hunter2"].map(str::to_owned);
        assert_eq!(stars.words(&words), ["deploy", "--token", "******", "DB_PASSWORD=*******"]);
        assert_eq!(stars.text(b"DB_PASSWORD=hunter2\nHOME=/root"), "DB_PASSWORD=*******\nHOME=/root");
        assert_eq!(Stars::new(false).text(b"DB_PASSWORD=hunter2"), "DB_PASSWORD=hunter2");
    }
}
