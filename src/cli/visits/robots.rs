//! Tells programs from people, by words in the name that a program gives itself. A robot that names itself like a browser
//! is counted: a log does not tell them apart.

/// Words in the names of robots, monitors, link previews and libraries, in small letters.
const WORDS: [&str; 40] = [
    "aiohttp",
    "ahrefs",
    "apache-httpclient",
    "archive",
    "axios",
    "bot",
    "checker",
    "crawl",
    "curl/",
    "embedly",
    "externalhit",
    "favicon",
    "feed",
    "fetch",
    "go-http",
    "google-read-aloud",
    "guzzle",
    "headless",
    "httpx",
    "indexer",
    "inspect",
    "java/",
    "libwww",
    "lighthouse",
    "mediapartners",
    "monitor",
    "node",
    "pagespeed",
    "phantom",
    "ping",
    "preview",
    "python",
    "reader",
    "scan",
    "slurp",
    "spider",
    "uptime",
    "validator",
    "wget",
    "whatsapp",
];

/// Names of devices that contain a word of the list.
const DEVICES: [&str; 2] = ["cubot", "shopping"];

/// Whether a name is that of a program. One without a name is none that people read with.
pub(super) fn is_robot(agent: &str) -> bool {
    let mut name = agent.to_ascii_lowercase();
    for device in DEVICES {
        name = name.replace(device, "");
    }
    matches!(name.trim(), "" | "-") || WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::is_robot;

    #[test]
    fn browsers_are_no_robots() {
        for agent in [
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
            "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36",
        ] {
            assert!(!is_robot(agent), "{agent}");
        }
        for agent in [
            "",
            "-",
            "curl/8.1",
            "Mozilla/5.0 (compatible; Googlebot/2.1)",
            "python-requests/2",
            "Uptime-Kuma/1",
        ] {
            assert!(is_robot(agent), "{agent}");
        }
    }
}
