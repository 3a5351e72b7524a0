//! Counts requests by period: pages, languages, hosts that link to the site, searches without results. What is counted is
//! only what cannot name anyone: pages that the site has, names of hosts, and words that several visitors looked for.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};

use config::Config;
use site::model::Site;
use site::routes::{Route, Routes};

use super::lines::Hit;
use super::robots::is_robot;

/// The least count that is shown: a smaller group may be one person.
pub(super) const LEAST: u64 = 5;
/// The most names of hosts and of searches that are kept; what comes after them is counted together.
const MOST_NAMES: usize = 20_000;
/// The longest name of a host, and the most letters of a search.
const LONGEST: usize = 100;
/// The parameter with which pages tell the server of a search without results, see `templates/visits/access_logs.yaml`.
const SEARCH: &str = "search-without-results";

/// The pages of the site by their addresses.
pub(super) struct VisitedPages<'a> {
    base_path: &'a str,
    /// The hosts of the site: a link from one is no visit.
    hosts: Vec<String>,
    /// Address, canonical address and language of each page.
    routes: BTreeMap<String, (&'a str, &'a str)>,
}

impl<'a> VisitedPages<'a> {
    pub(super) fn new(config: &'a Config, site: &'a Site, routes: &'a Routes) -> VisitedPages<'a> {
        let pages = routes.iter().filter_map(|(path, route)| match route {
            Route::Page { page, .. } => {
                let page = &site.pages[*page];
                (page.status.number() == 200).then(|| {
                    (
                        path.to_owned(),
                        (page.path.value.as_str(), page.locale.as_str()),
                    )
                })
            }
            Route::Redirect { .. } | Route::Static => None,
        });
        let hosts = config
            .site
            .hosts()
            .base_urls()
            .filter_map(host_of)
            .collect();
        VisitedPages {
            base_path: config.site.base_path(),
            hosts,
            routes: pages.collect(),
        }
    }

    /// Canonical address and language of the page at a path.
    fn find(&self, path: &str) -> Option<(&'a str, &'a str)> {
        let path = path.strip_prefix(self.base_path)?;
        let decoded = percent_encoding::percent_decode_str(path)
            .decode_utf8()
            .ok()?;
        let path = decoded.strip_suffix("index.html").unwrap_or(&decoded);
        // Some hosts answer `/about` with the page of `/about/`.
        self.routes
            .get(path)
            .or_else(|| self.routes.get(&format!("{path}/")))
            .copied()
    }
}

/// The counts of a period.
#[derive(Debug, Default)]
struct PeriodCounts<'a> {
    /// Views by language and page.
    pages: BTreeMap<(&'a str, &'a str), u64>,
    /// Views that no page of the site led to.
    visits: u64,
    referrers: BTreeMap<String, u64>,
    searches: BTreeMap<String, u64>,
    /// The paths of requests for pages that the site does not have.
    missing: BTreeMap<String, u64>,
    /// Hosts, searches and missing paths beyond the most that are kept.
    more: [u64; 3],
    not_found: u64,
    leads: u64,
}

/// The counts of all periods.
pub(super) struct VisitCounts<'p, 'a> {
    pages: &'p VisitedPages<'a>,
    periods: BTreeMap<String, PeriodCounts<'a>>,
    names: usize,
    /// Whether a program is a robot, by a hash of its name, which the log repeats in each line.
    robots: HashMap<u64, bool>,
    hasher: RandomState,
}

impl<'p, 'a> VisitCounts<'p, 'a> {
    pub(super) fn new(pages: &'p VisitedPages<'a>) -> VisitCounts<'p, 'a> {
        VisitCounts {
            pages,
            periods: BTreeMap::new(),
            names: 0,
            robots: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// Counts a request, unless it is that of a robot, or of no page.
    pub(super) fn add(&mut self, period: String, hit: Hit) {
        if !matches!(hit.status, 200 | 204 | 206 | 304 | 404 | 410) || self.is_robot(hit.agent) {
            return;
        }
        let target = hit.target.split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let found = self.pages.find(path);
        match (hit.method, hit.status, found) {
            ("GET", 200 | 206 | 304, Some((page, language))) => {
                let referrer = host_of(hit.referrer).filter(|host| is_name(host));
                let counted = self.periods.entry(period).or_default();
                *counted.pages.entry((language, page)).or_default() += 1;
                if referrer
                    .as_ref()
                    .is_some_and(|host| self.pages.hosts.contains(host))
                {
                    return;
                }
                counted.visits += 1;
                let Some(referrer) = referrer else { return };
                Self::name(
                    &mut counted.referrers,
                    &mut self.names,
                    &mut counted.more[0],
                    referrer,
                );
            }
            ("HEAD", 200 | 204 | 304, Some(_)) => {
                let mut fields = url::form_urlencoded::parse(query.as_bytes());
                let Some((_, words)) = fields.find(|(name, _)| name == SEARCH) else {
                    return;
                };
                let Some(words) = impersonal(&words.to_lowercase()) else {
                    return;
                };
                let counted = self.periods.entry(period).or_default();
                Self::name(
                    &mut counted.searches,
                    &mut self.names,
                    &mut counted.more[1],
                    words,
                );
            }
            ("GET", 404 | 410, _) => {
                let counted = self.periods.entry(period).or_default();
                counted.not_found += 1;
                let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                // The day in a URL is nobody's number.
                if decoded
                    .split('/')
                    .filter(|part| !part.is_empty())
                    .any(|part| impersonal(part).is_none())
                {
                    return;
                }
                let path = decoded
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(LONGEST)
                    .collect();
                Self::name(
                    &mut counted.missing,
                    &mut self.names,
                    &mut counted.more[2],
                    path,
                );
            }
            _ => {}
        }
    }

    fn is_robot(&mut self, agent: &str) -> bool {
        if self.robots.len() >= MOST_NAMES {
            self.robots.clear();
        }
        *self
            .robots
            .entry(self.hasher.hash_one(agent))
            .or_insert_with(|| is_robot(agent))
    }

    fn name(counts: &mut BTreeMap<String, u64>, names: &mut usize, more: &mut u64, name: String) {
        if let Some(count) = counts.get_mut(&name) {
            *count += 1;
        } else if *names < MOST_NAMES {
            *names += 1;
            counts.insert(name, 1);
        } else {
            *more += 1;
        }
    }

    pub(super) fn add_lead(&mut self, period: String) {
        self.periods.entry(period).or_default().leads += 1;
    }

    /// The numbers that can be shown.
    pub(super) fn report(&self, has_leads: bool) -> Vec<Shown> {
        self.periods
            .iter()
            .map(|(period, counted)| shown(period, counted, has_leads))
            .collect()
    }
}

/// A text from outside as a name on one line. `None` if it is empty, or may name a person: an email address, a number.
fn impersonal(text: &str) -> Option<String> {
    let text: String = text
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST)
        .collect();
    let text = text.trim();
    let is_personal = text.contains('@') || text.chars().filter(char::is_ascii_digit).count() > 4;
    (!text.is_empty() && !is_personal).then(|| text.to_owned())
}

/// Scheme and `www.` are left out, so that one site is one name.
fn host_of(address: &str) -> Option<String> {
    let url = url::Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.to_ascii_lowercase();
    Some(
        host.strip_prefix("www.")
            .map_or(host.clone(), str::to_owned),
    )
}

/// Whether a host has a name. A number is that of a machine, perhaps of a person.
fn is_name(host: &str) -> bool {
    host.len() <= LONGEST
        && host.contains('.')
        && host
            .rsplit('.')
            .next()
            .is_some_and(|last| last.parse::<u8>().is_err())
}

/// The counts of a period that may be shown.
pub(super) struct Shown {
    pub period: String,
    /// Name and count of `views`, `visits`, `not found` and `leads`; `None` is one to four.
    pub totals: Vec<(&'static str, Option<u64>)>,
    /// Name and rows of `language`, `page`, `referrer`, `search` and `missing page`.
    pub groups: Vec<(&'static str, Vec<GroupRow>)>,
}

/// A group, or several small ones together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupRow {
    /// `None` for small groups together.
    pub name: Option<String>,
    pub count: u64,
}

fn shown(period: &str, counted: &PeriodCounts, has_leads: bool) -> Shown {
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    for ((language, _), count) in &counted.pages {
        *languages.entry(language).or_default() += count;
    }
    let views = languages.values().sum();
    let language_rows = rows(
        languages
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect(),
        0,
    );
    // The pages of a language add up to its count, which is shown: so they are hidden language by language, and those of
    // hidden languages together.
    let mut pages = Vec::new();
    let mut hidden = 0;
    for language in languages.keys() {
        let of_language = counted.pages.iter().filter(|((of, _), _)| of == language);
        if language_rows
            .iter()
            .any(|row| row.name.as_deref() == Some(language))
        {
            pages.extend(rows(
                of_language
                    .map(|((_, page), count)| ((*page).to_owned(), *count))
                    .collect(),
                0,
            ));
        } else {
            hidden += of_language.map(|(_, count)| count).sum::<u64>();
        }
    }
    let together = hidden
        + pages
            .iter()
            .filter(|row| row.name.is_none())
            .map(|row| row.count)
            .sum::<u64>();
    pages.retain(|row| row.name.is_some());
    pages.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    pages.extend((together > 0).then_some(GroupRow {
        name: None,
        count: together,
    }));
    let totals = [
        ("views", views),
        ("visits", counted.visits),
        ("not found", counted.not_found),
    ]
    .into_iter();
    let totals = totals.chain(has_leads.then_some(("leads", counted.leads)));
    let mut totals: Vec<_> = totals
        .map(|(name, count)| (name, (count == 0 || count >= LEAST).then_some(count)))
        .collect();
    // The difference between two totals would tell a small group, too: views that visits are not.
    if views.abs_diff(counted.visits) < LEAST && views != counted.visits {
        totals[1].1 = None;
    }
    let mut groups = vec![
        ("language", language_rows),
        ("page", pages),
        (
            "referrer",
            rows(
                counted.referrers.clone().into_iter().collect(),
                counted.more[0],
            ),
        ),
        (
            "search",
            rows(
                counted.searches.clone().into_iter().collect(),
                counted.more[1],
            ),
        ),
        (
            "missing page",
            rows(
                counted.missing.clone().into_iter().collect(),
                counted.more[2],
            ),
        ),
    ];
    // A row of less than five is none.
    for (_, rows) in &mut groups {
        rows.retain(|row| row.count >= LEAST);
    }
    Shown {
        period: period.to_owned(),
        totals,
        groups,
    }
}

/// The groups of at least five, greatest first, and the others together. If the others are one group, or fewer than five
/// together, the total would tell them: the smallest shown groups join them until it does not.
fn rows(counts: Vec<(String, u64)>, more: u64) -> Vec<GroupRow> {
    let mut all = counts;
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut kept = all.partition_point(|(_, count)| *count >= LEAST);
    let mut others = all[kept..].iter().map(|(_, count)| count).sum::<u64>() + more;
    while kept > 0 && others > 0 && (others < LEAST || all.len() - kept + usize::from(more > 0) < 2)
    {
        kept -= 1;
        others += all[kept].1;
    }
    let shown = all[..kept].iter().map(|(name, count)| GroupRow {
        name: Some(name.clone()),
        count: *count,
    });
    shown
        .chain((others > 0).then_some(GroupRow {
            name: None,
            count: others,
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(counts: &[u64]) -> Vec<(bool, u64)> {
        let counts = counts
            .iter()
            .enumerate()
            .map(|(at, count)| (format!("g{at}"), *count))
            .collect();
        rows(counts, 0)
            .into_iter()
            .map(|row| (row.name.is_some(), row.count))
            .collect()
    }

    #[test]
    fn a_total_never_tells_a_small_group() {
        assert_eq!(shown(&[9, 7, 5]), [(true, 9), (true, 7), (true, 5)]);
        assert_eq!(shown(&[9, 4, 3]), [(true, 9), (false, 7)]);
        // One group of three, or two of two, would be the difference to the total.
        assert_eq!(shown(&[20, 9, 3]), [(true, 20), (false, 12)]);
        assert_eq!(shown(&[20, 9, 2, 1]), [(true, 20), (false, 12)]);
        assert_eq!(shown(&[2]), [(false, 2)]);
        assert_eq!(shown(&[]), []);
    }

    #[test]
    fn a_page_is_counted_without_its_slash_and_a_missing_one_by_its_path() {
        let routes = [("/about/".to_owned(), ("/about/", "en"))].into();
        let pages = VisitedPages {
            base_path: "",
            hosts: Vec::new(),
            routes,
        };
        let mut counts = VisitCounts::new(&pages);
        let mut add = |target: &str, status: u16| {
            let hit = Hit {
                day: "2027-01-31",
                method: "GET",
                target,
                status,
                referrer: "-",
                agent: "Firefox",
            };
            (0..6).for_each(|_| counts.add("2027-01".to_owned(), hit));
        };
        add("/about", 200);
        add("/about/", 200);
        add("/abuot/?email=ana@example.com", 404);
        add("/gone/caf%C3%A9/", 410);
        add("/reset/ana%40example.com", 404);
        add("/orders/1234567", 404);
        add("/call/600-11-22-33", 404);
        add("/2019/03/12/old-post/", 404);
        let report = counts.report(false);
        let group = |of: &str| {
            report[0]
                .groups
                .iter()
                .find(|(name, _)| *name == of)
                .map(|(_, rows)| rows.clone())
        };
        let row = |name: &str, count| GroupRow {
            name: Some(name.to_owned()),
            count,
        };
        assert_eq!(group("page"), Some(vec![row("/about/", 12)]));
        assert_eq!(
            group("missing page"),
            Some(vec![
                row("/2019/03/12/old-post/", 6),
                row("/abuot/", 6),
                row("/gone/café/", 6)
            ])
        );
        assert_eq!(report[0].totals[2], ("not found", Some(36)));
    }

    #[test]
    fn names_from_outside_need_little_memory() {
        let routes = [("/".to_owned(), ("/", "en"))].into();
        let pages = VisitedPages {
            base_path: "",
            hosts: vec!["a.example".to_owned()],
            routes,
        };
        let mut counts = VisitCounts::new(&pages);
        let times = MOST_NAMES as u64 + 50;
        for number in 0..times {
            let referrer = format!("https://r{number}.example/");
            let hit = Hit {
                day: "2027-01-31",
                method: "GET",
                target: "/",
                status: 200,
                referrer: &referrer,
                agent: "Firefox",
            };
            counts.add("2027-01".to_owned(), hit);
        }
        let counted = &counts.periods["2027-01"];
        assert_eq!((counted.referrers.len(), counted.more[0]), (MOST_NAMES, 50));
        let others = counts.report(false)[0].groups[2].1.clone();
        assert_eq!(
            others,
            [GroupRow {
                name: None,
                count: times
            }]
        );
    }

    #[test]
    fn a_host_is_a_name() {
        assert_eq!(
            host_of("https://www.Example.com/a?email=x").as_deref(),
            Some("example.com")
        );
        assert!(is_name("example.com") && !is_name("192.0.2.1") && !is_name("localhost"));
        assert_eq!(host_of("android-app://com.example"), None);
    }
}
