//! Settings and credentials: variables of the environment, and the files of AWS' tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Variables, by name. Those that an AWS profile has are among them.
#[derive(Clone, Default)]
pub struct StoreSettings(BTreeMap<String, String>);

/// The variables that a profile's keys stand for.
const OF_PROFILE: [(&str, &str); 5] = [
    ("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
    ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
    ("aws_session_token", "AWS_SESSION_TOKEN"),
    ("region", "AWS_REGION"),
    ("endpoint_url", "AWS_ENDPOINT_URL"),
];
/// Each says that credentials come from elsewhere than from a profile.
const CREDENTIALS: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

impl StoreSettings {
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> StoreSettings {
        StoreSettings(variables.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    pub fn from_env() -> StoreSettings {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        StoreSettings::of(std::env::vars_os().filter_map(text))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// True if the first of these variables that is set begins so.
    pub fn begins(&self, names: &[&str], with: &str) -> bool {
        names.iter().find_map(|name| self.get(name)).is_some_and(|value| value.starts_with(with))
    }

    /// The variables whose names begin so, in lower case, as the crate `object_store` names its settings.
    pub fn keys<'s>(&'s self, begin: &'s str) -> impl Iterator<Item = (String, &'s str)> {
        let ours = self.0.iter().filter(move |(name, _)| name.starts_with(begin));
        ours.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
    }

    /// Adds what the profile of AWS_PROFILE says, or the default one. A variable precedes it. The error says that there is no such profile.
    pub fn with_aws_profile(mut self) -> Result<StoreSettings, String> {
        let named = self.get("AWS_PROFILE").map(str::to_owned);
        let profile = named.as_deref().unwrap_or("default");
        let home = self.get("HOME").map(PathBuf::from);
        let file = |variable: &str, name: &str| {
            self.get(variable).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".aws").join(name)))
        };
        let files = [file("AWS_CONFIG_FILE", "config"), file("AWS_SHARED_CREDENTIALS_FILE", "credentials")];
        let texts = files.map(|file| file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default());
        let found: Vec<BTreeMap<String, String>> = texts.iter().filter_map(|text| section(text, profile)).collect();
        if let (Some(named), true) = (&named, found.is_empty()) {
            return Err(format!(
                "AWS_PROFILE names the profile '{named}', and the files of AWS' tools have none of that name"
            ));
        }
        let has_credentials = named.is_none() && CREDENTIALS.iter().any(|name| self.0.contains_key(*name));
        let found: BTreeMap<String, String> = found.into_iter().flatten().collect();
        for (key, variable) in OF_PROFILE {
            let is_credential = key.starts_with("aws_");
            if let Some(value) = found.get(key).filter(|_| !is_credential || !has_credentials) {
                self.0.entry(variable.into()).or_insert_with(|| value.clone());
            }
        }
        Ok(self)
    }
}

/// The keys of `[profile]` or `[profile NAME]`.
fn section(text: &str, profile: &str) -> Option<BTreeMap<String, String>> {
    let mut keys = None;
    let mut is_inside = false;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let name = name.trim();
            is_inside = name.strip_prefix("profile ").map_or(name, str::trim) == profile;
            if is_inside {
                keys.get_or_insert_with(BTreeMap::new);
            }
        } else if let (true, Some(keys), Some((key, value))) = (is_inside, &mut keys, line.split_once('=')) {
            keys.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    fn settings(variables: &[(&str, &str)]) -> StoreSettings {
        StoreSettings::of(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn profiles() {
        let scratch = Scratch::new("store-profiles");
        fs::create_dir(scratch.path(".aws")).unwrap();
        fs::write(
            scratch.path(".aws/credentials"),
            "[default]\naws_access_key_id = A\naws_secret_access_key=S\n# [x]\n[ other ]\naws_access_key_id=B\naws_secret_access_key=T=\naws_session_token=U\n",
        )
        .unwrap();
        fs::write(
            scratch.path(".aws/config"),
            "[default]\nregion = eu-west-1\n[profile other]\nregion=us-west-2\nendpoint_url = http://h:1\n",
        )
        .unwrap();
        let home = scratch.path("").display().to_string();
        let of = |variables: &[(&str, &str)]| {
            let all: Vec<(&str, &str)> = [("HOME", home.as_str())].iter().chain(variables).copied().collect();
            let settings = settings(&all).with_aws_profile()?;
            Ok(OF_PROFILE.map(|(_, name)| settings.get(name).unwrap_or("-").to_owned()).join(" "))
        };
        let is = |expected: &str| Ok(expected.to_owned());
        assert_eq!(of(&[]), is("A S - eu-west-1 -"));
        assert_eq!(of(&[("AWS_PROFILE", "other")]), is("B T= U us-west-2 http://h:1"));
        assert_eq!(of(&[("AWS_REGION", "r"), ("AWS_PROFILE", "")]), is("A S - r -"));
        // Keys of a variable are not mixed with others.
        assert_eq!(of(&[("AWS_ACCESS_KEY_ID", "V"), ("AWS_SECRET_ACCESS_KEY", "W")]), is("V W - eu-west-1 -"));
        assert_eq!(of(&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")]), is("- - - eu-west-1 -"));
        assert_eq!(of(&[("AWS_CONFIG_FILE", "/none"), ("AWS_SHARED_CREDENTIALS_FILE", "/none")]), is("- - - - -"));
        let missing: Result<String, String> = of(&[("AWS_PROFILE", "x")]);
        assert!(missing.unwrap_err().contains("the profile 'x'"));
    }

    #[test]
    fn variables() {
        let all = settings(&[
            ("AWS_REGION", "r"),
            ("GOOGLE_BUCKET", "b"),
            ("AWS_ENDPOINT_URL", "http://h"),
            ("AWS_EMPTY", ""),
        ]);
        assert_eq!(
            all.keys("AWS_").collect::<Vec<_>>(),
            [("aws_endpoint_url".into(), "http://h"), ("aws_region".into(), "r")]
        );
        assert!(all.begins(&["AWS_X", "AWS_ENDPOINT_URL"], "http://"));
        assert!(!all.begins(&["AWS_REGION", "AWS_ENDPOINT_URL"], "http://"));
    }
}
