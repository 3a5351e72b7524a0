//! The proof of work of ALTCHA: a browser looks for the number whose hash is that of a challenge, which costs a person nothing
//! and a flood of answers a lot. No other site is asked. The protocol is ALTCHA's first version, with SHA-256:
//! <https://altcha.org/docs/v2/proof-of-work/>.
//!
//! A challenge is signed and names its end, so the API remembers none. A solved one is used once: its hash is stored with the
//! lead, like the token of any captcha.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::{BASE64, HEXLOWER};
use ring::hmac;
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};

use api_types::captcha::CaptchaProvider;

use crate::Api;
use crate::client::networks;
use crate::clock::{self, Millis};

use super::captcha::Verdict;
use super::lead::{Hash, hash};

/// A minute in milliseconds.
const MINUTE: Millis = 60_000;
/// The only algorithm.
const ALGORITHM: &str = "SHA-256";
/// The greatest number of a challenge. Browsers try half of them on average, in one to two seconds. Programs are ten times as
/// fast, so it grows for who asks often.
const NUMBER_MAX: u64 = 100_000;
/// Challenges of a sender in a minute that are no harder; each further of so many doubles the greatest number.
const EASY: u32 = 8;
/// Challenges that a sender gets in a minute.
const SENDER_MAX: u32 = 40;
/// Challenges that the senders of a network get in a minute.
const NETWORK_MAX: u32 = 400;
/// Challenges in a minute for all; with each further of so many, all are harder, up to [`LOAD_MAX`] times.
const LOAD: u32 = 1_000;
const LOAD_MAX: u64 = 4;
/// Networks that are remembered in a minute.
const NETWORKS_MAX: usize = 100_000;
/// How long a challenge is valid, in milliseconds: a form is rarely filled in longer after the captcha was solved.
const LIFETIME: Millis = 20 * 60 * 1000;
/// Random bytes of a challenge.
const SALT_BYTES: usize = 12;
/// The text that derives a key from that of links, so that no signature of one kind is one of the other.
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

/// Counts challenges, in memory. They cost their asker nothing, and may be solved before they are needed.
#[derive(Debug, Default)]
pub(super) struct Challenges(Mutex<Asked>);

/// The challenges that were requested in a minute.
#[derive(Debug, Default)]
struct Asked {
    minute: i64,
    all: u32,
    by_network: HashMap<String, u32>,
}

impl Challenges {
    /// Counts a challenge, and returns its greatest number. The error is the number of seconds to wait.
    fn next(&self, address: Option<IpAddr>, now: Millis) -> Result<u64, u32> {
        let [_, network, sender] = address.map_or_else(<[String; 3]>::default, |address| {
            networks(address).map(|network| network.to_string())
        });
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.minute != now.div_euclid(MINUTE) || asked.by_network.len() > NETWORKS_MAX {
            *asked = Asked {
                minute: now.div_euclid(MINUTE),
                ..Asked::default()
            };
        }
        let wait =
            u32::try_from((MINUTE - now.rem_euclid(MINUTE)).div_euclid(1000) + 1).unwrap_or(60);
        let limits = [
            (network, NETWORK_MAX),
            (format!("{sender} sender"), SENDER_MAX),
        ];
        let is_full = |(name, most): &(String, u32)| {
            asked
                .by_network
                .get(name)
                .is_some_and(|count| count >= most)
        };
        if limits.iter().any(is_full) {
            return Err(wait);
        }
        let mut of_sender = 0;
        for (name, _) in limits {
            let count = asked.by_network.entry(name).or_default();
            *count += 1;
            of_sender = *count;
        }
        asked.all = asked.all.saturating_add(1);
        let load = (u64::from(asked.all / LOAD) + 1).min(LOAD_MAX);
        Ok((NUMBER_MAX << ((of_sender - 1) / EASY)) * load)
    }
}

/// Signs challenges. Every API with the same store has the same key.
#[derive(Debug)]
struct ChallengeSigner(hmac::Key);

impl ChallengeSigner {
    fn new(link_key: &str) -> ChallengeSigner {
        let key = hmac::Key::new(hmac::HMAC_SHA256, link_key.as_bytes());
        ChallengeSigner(hmac::Key::new(
            hmac::HMAC_SHA256,
            hmac::sign(&key, PURPOSE).as_ref(),
        ))
    }

    fn challenge(&self, now: Millis, random: &[u8], number: u64, number_max: u64) -> Challenge {
        // The mark at the end keeps digits of the number from becoming some of the time.
        let salt = format!(
            "{}?expires={}&",
            HEXLOWER.encode(random),
            (now + LIFETIME) / 1000
        );
        let challenge = digest(&salt, number);
        let signature = HEXLOWER.encode(hmac::sign(&self.0, challenge.as_bytes()).as_ref());
        Challenge {
            algorithm: ALGORITHM,
            challenge,
            maxnumber: number_max,
            salt,
            signature,
        }
    }

    fn accepts(&self, solution: &Solution, now: Millis) -> bool {
        let time = solution
            .salt
            .split_once("?expires=")
            .and_then(|(_, time)| time.strip_suffix('&'));
        let expires = time.and_then(|time| time.parse::<i64>().ok());
        let signature = HEXLOWER
            .decode(solution.signature.as_bytes())
            .unwrap_or_default();
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

/// The identity of a token: two texts of one solution are one token.
pub(super) fn identity(token: &str) -> Hash {
    parse(token).map_or_else(
        || hash(token.as_bytes()),
        |solution| hash(solution.challenge.as_bytes()),
    )
}

/// Checks a solution. Whether it was used before is known when the lead is stored.
pub(super) fn verify(token: &str, link_key: &str) -> Verdict {
    let is_solved = parse(token)
        .is_some_and(|solution| ChallengeSigner::new(link_key).accepts(&solution, clock::now()));
    if is_solved {
        Verdict::Solved
    } else {
        Verdict::Refused
    }
}

/// `GET /api/captcha/challenge`: a challenge, for a site whose captcha is `altcha`.
pub(crate) async fn challenge(
    State(api): State<Arc<Api>>,
    uri: OriginalUri,
    request: Request,
) -> Response {
    let is_used = |leads: &&super::Leads| {
        leads
            .site()
            .is_some_and(|site| site.rules.captcha == CaptchaProvider::Altcha)
    };
    let Some(leads) = api.leads.as_ref().filter(is_used) else {
        return crate::unknown(uri).await.into_response();
    };
    let (parts, _) = request.into_parts();
    // As for leads, a limit of 0 means unlimited.
    let is_limited = leads.settings.per_minute > 0;
    let counted = if is_limited {
        leads
            .challenges
            .next(api.settings.proxies.client(&parts), clock::now())
    } else {
        Ok(NUMBER_MAX)
    };
    let number_max = match counted {
        Ok(number_max) => number_max,
        Err(seconds) => {
            let error = crate::ApiError::new(
                crate::ErrorCode::Unavailable,
                "too many challenges; try again later",
            );
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            return (StatusCode::TOO_MANY_REQUESTS, wait, error).into_response();
        }
    };
    let mut random = [0_u8; SALT_BYTES + 8];
    let key = leads.store.link_key().await;
    let (Ok(key), Ok(())) = (key, ring::rand::SystemRandom::new().fill(&mut random)) else {
        return crate::ApiError::new(
            crate::ErrorCode::Unavailable,
            "no challenge can be created at the moment",
        )
        .into_response();
    };
    let (salt, number) = random.split_at(SALT_BYTES);
    let number = number
        .iter()
        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
        % (number_max + 1);
    let challenge = ChallengeSigner::new(&key).challenge(clock::now(), salt, number, number_max);
    ([(header::CACHE_CONTROL, "no-store")], Json(challenge)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_801_483_200_000;

    fn solved(signer: &ChallengeSigner) -> serde_json::Value {
        let challenge = signer.challenge(NOW, b"salt", 4_321, NUMBER_MAX);
        let number = (0..=challenge.maxnumber)
            .find(|number| digest(&challenge.salt, *number) == challenge.challenge);
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
    fn challenges_get_harder_and_end_for_who_asks_often() {
        let challenges = Challenges::default();
        let next = |text: &str, now| challenges.next(Some(text.parse().expect("an address")), now);
        let all: Vec<_> = (0..=SENDER_MAX).map(|_| next("192.0.2.1", NOW)).collect();
        assert_eq!(
            (all[0], all[7], all[8], all[16]),
            (Ok(100_000), Ok(100_000), Ok(200_000), Ok(400_000))
        );
        assert!(matches!(all[SENDER_MAX as usize], Err(1..=61)), "{all:?}");
        assert_eq!(
            next("198.51.100.1", NOW),
            Ok(100_000),
            "others are not asked for more"
        );
        assert_eq!(next("192.0.2.1", NOW + MINUTE), Ok(100_000));
        // Many addresses of one network.
        let found = (0..1_000)
            .filter(|at| next(&format!("2001:db8:1:{at:x}::1"), NOW + 2 * MINUTE).is_ok())
            .count();
        assert_eq!(found, NETWORK_MAX as usize);
        // Many networks.
        let of =
            |at: u32| next(&format!("2001:db8:{at:x}::1"), NOW + 3 * MINUTE).expect("a challenge");
        let hardest = (2..6_000).map(of).max();
        assert_eq!(hardest, Some(NUMBER_MAX * LOAD_MAX));
    }

    #[test]
    fn a_solution_is_accepted_until_its_challenge_ends() {
        let signer = ChallengeSigner::new("key");
        let solution = solved(&signer);
        let accepts = |value: &serde_json::Value, at| {
            parse(&token(value)).is_some_and(|found| signer.accepts(&found, at))
        };
        assert!(accepts(&solution, NOW) && accepts(&solution, NOW + LIFETIME - 1_000));
        assert!(!accepts(&solution, NOW + LIFETIME));
        for (field, value) in [
            ("number", serde_json::json!(4_320)),
            (
                "salt",
                serde_json::json!(format!("73616c74?expires={NOW}&")),
            ),
            ("challenge", serde_json::json!(digest("x", 1))),
            ("signature", serde_json::json!("00")),
            ("algorithm", serde_json::json!("SHA-1")),
        ] {
            let mut other = solution.clone();
            other[field] = value;
            assert!(!accepts(&other, NOW), "{field}");
        }
        // Anybody can make a challenge, and nobody can sign it.
        assert!(!accepts(&solved(&ChallengeSigner::new("other")), NOW));
        assert_eq!(verify("no token", "key"), Verdict::Refused);
    }

    #[test]
    fn digits_of_the_number_do_not_become_a_later_end() {
        let signer = ChallengeSigner::new("key");
        let mut spliced = solved(&signer);
        let salt = spliced["salt"]
            .as_str()
            .expect("a salt")
            .trim_end_matches('&')
            .to_owned();
        // The hash is that of the same text if the salt has no mark at its end.
        spliced["salt"] = format!("{salt}4").into();
        spliced["number"] = 321.into();
        spliced["challenge"] = digest(&salt, 4_321).into();
        let challenge = digest(&salt, 4_321);
        spliced["signature"] = HEXLOWER
            .encode(hmac::sign(&signer.0, challenge.as_bytes()).as_ref())
            .into();
        let found = parse(&token(&spliced)).expect("a solution");
        assert_eq!(
            digest(&found.salt, found.number),
            found.challenge,
            "all else is right"
        );
        assert!(!signer.accepts(&found, NOW));
    }

    #[test]
    fn a_solution_written_in_another_way_is_the_same() {
        let solution = solved(&ChallengeSigner::new("key"));
        let mut longer = solution.clone();
        longer["took"] = 12.into();
        assert_ne!(token(&solution), token(&longer));
        assert_eq!(identity(&token(&solution)), identity(&token(&longer)));
        assert_ne!(identity("a"), identity("b"));
    }
}
