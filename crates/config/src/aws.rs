//! Credentials of AWS, as its tools read them: from the environment, or else from the files in `~/.aws/`.
//!
//! Credentials that AWS's tools request from a server (single sign-on, roles of machines and containers) are not read.
//! On CI, the steps that sign in set the environment.

use std::path::PathBuf;

use super::{environment, path_in, text_in};

/// The address of the S3 server; `None` for that of AWS.
pub fn endpoint() -> Option<String> {
    environment::AWS_ENDPOINTS.into_iter().find_map(text_in)
}

/// The value of one of AWS's variables for credentials and the region.
pub fn value(name: &str) -> Option<String> {
    if let Some(value) = text_in(name) {
        return Some(value);
    }
    if name == "AWS_REGION" {
        // S3-compatible stores accept any region.
        return text_in(environment::AWS_DEFAULT_REGION)
            .or_else(|| in_files("region"))
            .or_else(|| endpoint().map(|_| "us-east-1".to_owned()));
    }
    // A session token belongs to the key beside it.
    let is_key_set = text_in("AWS_ACCESS_KEY_ID").is_some();
    if is_key_set {
        None
    } else {
        in_files(&name.to_lowercase())
    }
}

fn in_files(key: &str) -> Option<String> {
    let profile = text_in(environment::AWS_PROFILE).unwrap_or_else(|| "default".into());
    let file = |variable: &str, name: &str| {
        path_in(variable).or_else(|| Some(path_in(environment::HOME)?.join(".aws").join(name)))
    };
    let read = |file: Option<PathBuf>| std::fs::read_to_string(file?).ok();
    let find = |text: String| setting(&text, &profile, key);
    read(file(environment::AWS_CREDENTIALS, "credentials"))
        .and_then(find)
        .or_else(|| read(file(environment::AWS_CONFIG, "config")).and_then(find))
}

/// The value of a key in the section of a profile: `[NAME]`, or `[profile NAME]` in the file with settings.
fn setting(text: &str, profile: &str, key: &str) -> Option<String> {
    let mut is_own = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            is_own = section.trim().trim_start_matches("profile ").trim() == profile;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| is_own)
            && name.trim() == key
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_setting_is_read_from_the_section_of_its_profile() {
        let text = "[default]\naws_access_key_id = A\n\n[profile ci]\nregion=eu-west-1\naws_access_key_id=B\n";
        assert_eq!(
            setting(text, "default", "aws_access_key_id").as_deref(),
            Some("A")
        );
        assert_eq!(
            setting(text, "ci", "aws_access_key_id").as_deref(),
            Some("B")
        );
        assert_eq!(setting(text, "ci", "region").as_deref(), Some("eu-west-1"));
        assert_eq!(setting(text, "default", "region"), None);
    }
}
