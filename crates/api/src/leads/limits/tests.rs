//! Floods of bad tokens, simulated, with visitors among them.

use super::*;

const SECOND: Micros = 1_000_000;

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

/// Attempts of a flood and of 25 visitors in a minute; the visitors pass the captcha. Returns how many of them were refused,
/// and how many tokens of the flood were verified.
fn flood(
    limits: &Limits,
    per_second: u32,
    bad: impl Fn(u32) -> String,
    visitor: impl Fn(u32) -> String,
) -> (u32, u32) {
    let (mut refused, mut verified) = (0, 0);
    for number in 0..per_second * 60 {
        let now = Micros::from(number) * 60 * SECOND / Micros::from(per_second * 60);
        let quotas = limits.quotas(Kind::Attempt, Some(address(&bad(number))));
        verified += u32::from(limits.meters.take(&quotas, now).is_ok());
        if number % (per_second * 60 / 25) == per_second {
            let quotas = limits.quotas(Kind::Attempt, Some(address(&visitor(number))));
            let proven = limits.quotas(Kind::Proven, None);
            match limits.meters.take(&quotas, now) {
                Ok(taken) if limits.meters.take(&proven, now).is_ok() => {
                    taken
                        .iter()
                        .filter(|quota| !quota.is_sender)
                        .for_each(|quota| limits.meters.give_back(quota));
                }
                _ => refused += 1,
            }
        }
    }
    (refused, verified)
}

#[test]
fn a_flood_of_bad_tokens_refuses_no_visitor_of_another_network() {
    let v4 = |number: u32| format!("198.51.{}.{}", number % 7, number % 251);
    // One sender, one /48, one /32; each request from a sender of its own.
    let sender = |number: u32| format!("2001:db8::{number:x}");
    let site = |number: u32| format!("2001:db8:0:{number:x}::1");
    let provider = |number: u32| format!("2001:db8:{:x}:{number:x}::1", number * 31 % 65_536);
    for per_second in [40, 400] {
        for (bad, most) in [
            (&sender as &dyn Fn(u32) -> String, 20),
            (&site, 2 * 2 * 80),
            (&provider, 2 * 2 * 640),
        ] {
            let limits = Limits::new(10, 600);
            let (refused, verified) = flood(&limits, per_second, bad, v4);
            assert_eq!(refused, 0, "{per_second} a second, like {}", bad(1));
            assert!(
                verified <= most,
                "{verified} tokens were verified, like {}",
                bad(1)
            );
        }
    }
}

/// A flood from a part of a network leaves visitors in its other parts alone.
#[test]
fn neighbors_of_a_flood_are_not_refused() {
    let limits = Limits::new(10, 600);
    let bad = |number: u32| format!("2001:db8:{:x}:{number:x}::1", number % 16);
    let (refused, _) = flood(&limits, 400, bad, |number| {
        format!("2001:db8:f00{}:{number:x}::1", number % 7)
    });
    assert_eq!(refused, 0);
    let limits = Limits::new(10, 600);
    let (refused, _) = flood(
        &limits,
        40,
        |number| format!("192.0.2.{}", number % 100),
        |number| format!("192.0.3.{}", number % 250),
    );
    assert_eq!(refused, 0);
}

#[test]
fn attempts_in_all_are_limited_for_any_number_of_networks() {
    let limits = Limits::new(10, 60);
    let from = |number: u32| format!("{}.{}.0.1", number % 200 + 1, number / 200 % 256);
    let (_, verified) = flood(&limits, 2_000, from, from);
    assert!(verified <= 2 * 2 * 300, "{verified}");
}

/// One network cannot use up what is left to visitors without JavaScript.
#[test]
fn leads_without_a_captcha_leave_room_for_other_networks() {
    let limits = Limits::new(10, 600);
    let pass = |sender: &str, now| {
        limits
            .meters
            .take(&limits.quotas(Kind::Unproven, Some(address(sender))), now)
            .is_ok()
    };
    let stored = (0..2_000)
        .filter(|number| pass(&format!("2001:db8:{number:x}::1"), 0))
        .count();
    assert_eq!(stored, 2 * 30, "the network and its reserve, of 120 in all");
    assert!((0..25).all(|number| pass(&format!("198.51.{number}.1"), 0)));
    assert_eq!(
        [
            pass("192.0.2.1", 0),
            pass("192.0.2.1", 0),
            pass("192.0.2.1", 0)
        ],
        [true, true, false]
    );
}

#[test]
fn clients_without_an_address_are_one_client() {
    let limits = Limits::new(2, 0);
    let pass = || {
        limits
            .meters
            .take(&limits.quotas(Kind::Attempt, None), 0)
            .is_ok()
    };
    assert_eq!([pass(), pass(), pass()], [true, true, false]);
}

#[test]
fn a_limit_of_zero_is_none() {
    assert!(
        Limits::new(0, 0)
            .quotas(Kind::Attempt, Some(address("192.0.2.1")))
            .is_empty()
    );
}
