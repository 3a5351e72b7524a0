//! Counters: for Prometheus at `/api/metrics`, and on Lambda as log lines in CloudWatch's embedded metric format. They
//! contain no personal data.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::clock;
use super::log::Log;
use super::{Api, ApiError, ErrorCode};

/// Environment variable that is set on Lambda.
const ON_LAMBDA: &str = "AWS_LAMBDA_FUNCTION_NAME";

/// A counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Stored leads by status.
    Leads,
    /// Rejected leads by error code.
    LeadsRefused,
    /// Leads that could not be stored.
    LeadsNotStored,
    /// Delivery attempts by result.
    Deliveries,
    /// Deliveries that were given up.
    DeliveriesGivenUp,
}

impl Metric {
    /// The metric's name, its label, and its help text.
    fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Metric::Leads => ("leads", "status", "Leads that were stored."),
            Metric::LeadsRefused => ("leads_refused", "code", "Leads that were rejected."),
            Metric::LeadsNotStored => ("leads_not_stored", "", "Leads that could not be stored."),
            Metric::Deliveries => (
                "deliveries",
                "result",
                "Attempts to deliver a notification of a lead.",
            ),
            Metric::DeliveriesGivenUp => {
                ("deliveries_given_up", "", "Deliveries that were abandoned.")
            }
        }
    }
}

/// The counters of this process.
#[derive(Debug, Default)]
pub struct Metrics {
    counts: Mutex<BTreeMap<(Metric, &'static str), u64>>,
    on_lambda: bool,
}

impl Metrics {
    /// Creates counters at zero.
    #[expect(
        clippy::disallowed_methods,
        reason = "these settings come from the environment"
    )]
    pub fn new() -> Metrics {
        Metrics {
            counts: Mutex::default(),
            on_lambda: std::env::var_os(ON_LAMBDA).is_some(),
        }
    }

    /// Increments a counter. The label's value is empty for metrics without a label.
    pub fn count(&self, log: Log, metric: Metric, label: &'static str) {
        if self.on_lambda {
            let (name, label_name, _) = metric.about();
            let dimensions: Vec<&str> = Some(label_name)
                .into_iter()
                .filter(|name| !name.is_empty())
                .collect();
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
        *self
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((metric, label))
            .or_default() += 1;
    }

    fn text(&self) -> String {
        let counts = self
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut text = String::new();
        let mut last = None;
        for ((metric, label), count) in counts {
            let (name, label_name, help) = metric.about();
            // Writing to a string cannot fail.
            if last != Some(metric) {
                let _ = writeln!(
                    text,
                    "# HELP sitegen_{name}_total {help}\n# TYPE sitegen_{name}_total counter"
                );
                last = Some(metric);
            }
            let label = if label_name.is_empty() {
                String::new()
            } else {
                format!("{{{label_name}=\"{label}\"}}")
            };
            let _ = writeln!(text, "sitegen_{name}_total{label} {count}");
        }
        text
    }
}

/// `GET /api/metrics`, only with the token. An address cannot decide who may read them: behind a proxy on this machine, all
/// requests come from here.
pub(super) async fn get(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|given| given.as_bytes().split_first_chunk::<7>());
    let token = given
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"bearer "))
        .map(|(_, token)| token.trim_ascii());
    let is_known = api
        .settings
        .metrics_tokens
        .as_ref()
        .zip(token)
        .is_some_and(|(tokens, token)| tokens.know(token));
    let Some(leads) = api.leads.as_ref().filter(|_| is_known) else {
        return ApiError::new(ErrorCode::NotFound, "there is nothing at /api/metrics")
            .into_response();
    };
    let mut text = leads.metrics().text();
    let (name, held) = ("sitegen_leads_expired_but_kept", leads.outbox().held());
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "# HELP {name} Leads whose deletion is waiting for confirmation.\n# TYPE {name} gauge\n{name} {held}"
    );
    let (name, failing) = ("sitegen_receivers_failing", leads.outbox().failing().len());
    let _ = writeln!(
        text,
        "# HELP {name} Mail servers and webhooks that aren't accepting leads.\n# TYPE {name} gauge\n{name} {failing}"
    );
    if let Ok(backlog) = leads.store().backlog().await {
        for (state, count) in [("due", backlog.due), ("dead", backlog.dead)] {
            let name = format!("sitegen_outbox_{state}");
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "# HELP {name} Deliveries that are {state}.\n# TYPE {name} gauge\n{name} {count}"
            );
        }
    }
    (
        [
            (
                header::CONTENT_TYPE,
                "text/plain; version=0.0.4; charset=utf-8",
            ),
            (header::CACHE_CONTROL, "no-store"),
        ],
        text,
    )
        .into_response()
}
