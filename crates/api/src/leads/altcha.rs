//! The proof of work of ALTCHA: a browser looks for the number whose hash is that of a challenge, which costs a person nothing
//! and a flood of answers a lot. No other site is asked. The protocol is ALTCHA's first version, with SHA-256:
//! <https://altcha.org/docs/v2/proof-of-work/>.
//!
//! A challenge is signed and names its end, so the API remembers none. A solved one is used once: its hash is stored with the
//! lead, like the token of any captcha.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use data_encoding::{BASE64, HEXLOWER};
use ring::hmac;
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};

use api_types::captcha::CaptchaProvider;

use crate::Api;
use crate::clock::{self, Millis};

use super::captcha::Verdict;
use super::lead::{Hash, hash};

/// The only algorithm.
const ALGORITHM: &str = "SHA-256";
/// The greatest number of a challenge. Browsers try half of them on average, in one to two seconds.
const NUMBER_MAX: u64 = 100_000;
/// How long a challenge is valid, in milliseconds: a form is rarely filled in longer after the captcha was solved.
const LIFETIME: Millis = 20 * 60 * 1000;
/// Random bytes of a challenge.
const SALT_BYTES: usize = 12;
/// What the key of links is made into, so that no signature of one kind is one of the other.
const PURPOSE: &[u8] = b"proof of work";

/// A challenge, as the browser gets it.
#[derive(Debug, Serialize)]
struct Challenge {
    algorithm: &'static str,
    challenge: String,
    maxnumber: u64,
    salt: String,
    signature: String,
}

/// A solved challenge, which comes as JSON in Base64.
#[derive(Debug, Deserialize)]
struct Solution {
    algorithm: String,
    challenge: String,
    number: u64,
    salt: String,
    signature: String,
}

/// Signs challenges. Every API with the same store has the same key.
#[derive(Debug)]
struct Signer(hmac::Key);

impl Signer {
    fn new(link_key: &str) -> Signer {
        let key = hmac::Key::new(hmac::HMAC_SHA256, link_key.as_bytes());
        Signer(hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&key, PURPOSE).as_ref()))
    }

    fn challenge(&self, now: Millis, random: &[u8], number: u64) -> Challenge {
        // The mark at the end keeps digits of the number from becoming some of the time.
        let salt = format!("{}?expires={}&", HEXLOWER.encode(random), (now + LIFETIME) / 1000);
        let challenge = digest(&salt, number);
        let signature = HEXLOWER.encode(hmac::sign(&self.0, challenge.as_bytes()).as_ref());
        Challenge { algorithm: ALGORITHM, challenge, maxnumber: NUMBER_MAX, salt, signature }
    }

    fn accepts(&self, solution: &Solution, now: Millis) -> bool {
        let time = solution.salt.split_once("?expires=").and_then(|(_, time)| time.strip_suffix('&'));
        let expires = time.and_then(|time| time.parse::<i64>().ok());
        let signature = HEXLOWER.decode(solution.signature.as_bytes()).unwrap_or_default();
        solution.algorithm == ALGORITHM
            && expires.is_some_and(|expires| now / 1000 < expires)
            && digest(&solution.salt, solution.number) == solution.challenge
            && hmac::verify(&self.0, solution.challenge.as_bytes(), &signature).is_ok()
    }
}

/// The hash of a salt and a number, in hex.
fn digest(salt: &str, number: u64) -> String {
    HEXLOWER.encode(&hash(format!("{salt}{number}").as_bytes()))
}

fn parse(token: &str) -> Option<Solution> {
    serde_json::from_slice(&BASE64.decode(token.as_bytes()).ok()?).ok()
}

/// What makes a token the only one. Two texts of one solution are one token.
pub(super) fn identity(token: &str) -> Hash {
    parse(token).map_or_else(|| hash(token.as_bytes()), |solution| hash(solution.challenge.as_bytes()))
}

/// Checks a solution. Whether it was used before is known when the lead is stored.
pub(super) fn verify(token: &str, link_key: &str) -> Verdict {
    let is_solved = parse(token).is_some_and(|solution| Signer::new(link_key).accepts(&solution, clock::now()));
    if is_solved { Verdict::Solved } else { Verdict::Refused }
}

/// `GET /api/captcha/challenge`: a challenge, for a site whose captcha is `altcha`.
pub(crate) async fn challenge(State(api): State<Arc<Api>>, uri: OriginalUri) -> Response {
    let is_used =
        |leads: &&super::Leads| leads.site().is_some_and(|site| site.rules.captcha == CaptchaProvider::Altcha);
    let Some(leads) = api.leads.as_ref().filter(is_used) else {
        return crate::unknown(uri).await.into_response();
    };
    let mut random = [0_u8; SALT_BYTES + 8];
    let key = leads.store.link_key().await;
    let (Ok(key), Ok(())) = (key, ring::rand::SystemRandom::new().fill(&mut random)) else {
        return crate::ApiError::new(crate::ErrorCode::Unavailable, "no challenge can be made now").into_response();
    };
    let (salt, number) = random.split_at(SALT_BYTES);
    let number = number.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)) % (NUMBER_MAX + 1);
    let challenge = Signer::new(&key).challenge(clock::now(), salt, number);
    ([(header::CACHE_CONTROL, "no-store")], Json(challenge)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_801_483_200_000;

    fn solved(signer: &Signer) -> serde_json::Value {
        let challenge = signer.challenge(NOW, b"salt", 4_321);
        let number = (0..=challenge.maxnumber).find(|number| digest(&challenge.salt, *number) == challenge.challenge);
        assert_eq!(number, Some(4_321));
        serde_json::json!({
            "algorithm": challenge.algorithm, "challenge": challenge.challenge, "number": 4_321, "salt": challenge.salt,
            "signature": challenge.signature,
        })
    }

    fn token(solution: &serde_json::Value) -> String {
        BASE64.encode(solution.to_string().as_bytes())
    }

    #[test]
    fn a_solution_is_accepted_until_its_challenge_ends() {
        let signer = Signer::new("key");
        let solution = solved(&signer);
        let accepts =
            |value: &serde_json::Value, at| parse(&token(value)).is_some_and(|found| signer.accepts(&found, at));
        assert!(accepts(&solution, NOW) && accepts(&solution, NOW + LIFETIME - 1_000));
        assert!(!accepts(&solution, NOW + LIFETIME));
        for (field, value) in [
            ("number", serde_json::json!(4_320)),
            ("salt", serde_json::json!(format!("73616c74?expires={NOW}&"))),
            ("challenge", serde_json::json!(digest("x", 1))),
            ("signature", serde_json::json!("00")),
            ("algorithm", serde_json::json!("SHA-1")),
        ] {
            let mut other = solution.clone();
            other[field] = value;
            assert!(!accepts(&other, NOW), "{field}");
        }
        // Anybody can make a challenge, and nobody can sign it.
        assert!(!accepts(&solved(&Signer::new("other")), NOW));
        assert_eq!(verify("no token", "key"), Verdict::Refused);
    }

    #[test]
    fn digits_of_the_number_do_not_become_a_later_end() {
        let signer = Signer::new("key");
        let mut spliced = solved(&signer);
        let salt = spliced["salt"].as_str().expect("a salt").trim_end_matches('&').to_owned();
        // The hash is that of the same text if the salt has no mark at its end.
        spliced["salt"] = format!("{salt}4").into();
        spliced["number"] = 321.into();
        spliced["challenge"] = digest(&salt, 4_321).into();
        let challenge = digest(&salt, 4_321);
        spliced["signature"] = HEXLOWER.encode(hmac::sign(&signer.0, challenge.as_bytes()).as_ref()).into();
        let found = parse(&token(&spliced)).expect("a solution");
        assert_eq!(digest(&found.salt, found.number), found.challenge, "all else is right");
        assert!(!signer.accepts(&found, NOW));
    }

    #[test]
    fn a_solution_written_in_another_way_is_the_same() {
        let solution = solved(&Signer::new("key"));
        let mut longer = solution.clone();
        longer["took"] = 12.into();
        assert_ne!(token(&solution), token(&longer));
        assert_eq!(identity(&token(&solution)), identity(&token(&longer)));
        assert_ne!(identity("a"), identity("b"));
    }
}
