//! What happens how often: for Prometheus at `/api/metrics`, and on Lambda as lines of the log in CloudWatch's embedded
//! format. Counts only; nothing here says who.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::clock;
use super::log::Log;
use super::{Api, ApiError, ErrorCode};

/// Set by Lambda.
const ON_LAMBDA: &str = "AWS_LAMBDA_FUNCTION_NAME";
/// What a proxy adds: whoever asks through one is not this machine.
const FORWARDED: [&str; 3] = ["x-forwarded-for", "forwarded", "cloudfront-viewer-address"];

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Leads that were stored, by their status.
    Leads,
    /// Leads that were not taken, by the code of the answer.
    LeadsRefused,
    /// Leads that could not be stored.
    LeadsNotStored,
    /// Tries to deliver news of a lead, by what became of them.
    Deliveries,
    /// Deliveries that were given up.
    DeliveriesGivenUp,
}

impl Metric {
    /// Its name, the name of its label, and what it is.
    fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Metric::Leads => ("leads", "status", "Leads that were stored."),
            Metric::LeadsRefused => ("leads_refused", "code", "Leads that were not taken."),
            Metric::LeadsNotStored => ("leads_not_stored", "", "Leads that could not be stored."),
            Metric::Deliveries => ("deliveries", "result", "Tries to deliver news of a lead."),
            Metric::DeliveriesGivenUp => ("deliveries_given_up", "", "Deliveries that were given up."),
        }
    }
}

/// The counts of this process.
#[derive(Debug, Default)]
pub struct Metrics {
    counts: Mutex<BTreeMap<(Metric, &'static str), u64>>,
    on_lambda: bool,
}

impl Metrics {
    /// Nothing was counted yet.
    pub fn new() -> Metrics {
        Metrics { counts: Mutex::default(), on_lambda: std::env::var_os(ON_LAMBDA).is_some() }
    }

    /// Counts one. The label is one of a closed list; empty for metrics without one.
    pub fn count(&self, log: Log, metric: Metric, label: &'static str) {
        if self.on_lambda {
            let (name, label_name, _) = metric.about();
            let dimensions: Vec<&str> = Some(label_name).into_iter().filter(|name| !name.is_empty()).collect();
            let about = json!({
                "Timestamp": clock::now(),
                "CloudWatchMetrics": [
                    {"Namespace": "Sitegen", "Dimensions": [dimensions], "Metrics": [{"Name": name, "Unit": "Count"}]},
                ],
            });
            let mut fields = vec![("_aws", about), (name, 1.into())];
            fields.extend(dimensions.iter().map(|name| (*name, label.into())));
            log.event("count", &fields);
        }
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry((metric, label)).or_default() += 1;
    }

    fn text(&self) -> String {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::new();
        let mut last = None;
        for ((metric, label), count) in counts {
            let (name, label_name, help) = metric.about();
            // Writing to a string cannot fail.
            if last != Some(metric) {
                let _ = writeln!(text, "# HELP sitegen_{name}_total {help}\n# TYPE sitegen_{name}_total counter");
                last = Some(metric);
            }
            let label = if label_name.is_empty() { String::new() } else { format!("{{{label_name}=\"{label}\"}}") };
            let _ = writeln!(text, "sitegen_{name}_total{label} {count}");
        }
        text
    }
}

/// `GET /api/metrics`, for programs on this machine.
pub(super) async fn get(State(api): State<Arc<Api>>, request: Request) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    let is_own = peer.is_some_and(|address| address.to_canonical().is_loopback())
        && !FORWARDED.iter().any(|name| request.headers().contains_key(*name));
    let Some(leads) = api.leads.as_ref().filter(|_| is_own) else {
        return ApiError::new(ErrorCode::NotFound, "there is nothing at /api/metrics").into_response();
    };
    let mut text = leads.metrics().text();
    if let Ok(backlog) = leads.store().backlog().await {
        for (state, count) in [("due", backlog.due), ("dead", backlog.dead)] {
            let name = format!("sitegen_outbox_{state}");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP {name} Deliveries that are {state}.\n# TYPE {name} gauge\n{name} {count}");
        }
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"), (header::CACHE_CONTROL, "no-store")], text)
        .into_response()
}
