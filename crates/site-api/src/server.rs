//! Runs the API as a Lambda function or as an HTTP server with graceful shutdown.

use std::sync::Arc;

use api::{Api, Settings, alone, listen, stopped};
use tokio::net::TcpListener;

use crate::lambda;

/// Serves until the process is stopped. The error is a message for the operator.
pub(crate) fn run(settings: Settings) -> Result<(), String> {
    settings.leads.check_published(settings.is_lambda)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let (address, is_lambda) = (settings.listen, settings.is_lambda);
        let api = Api::new(settings)?;
        api.update().await;
        if is_lambda {
            return lambda::run(&api).await.map_err(|error| error.to_string());
        }
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        api.settings()
            .log
            .listening(&format!("http://{address}/api/"));
        tokio::spawn(Arc::clone(&api).work());
        listen::serve(
            listener,
            alone(&api),
            listen::Limits::of(api.settings()),
            stopped(),
        )
        .await;
        Ok(())
    })
}
