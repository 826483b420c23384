//! Requests by HTTP. They block the thread.

use crate::failure::{StoreFailure, legible};
use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use rustls::crypto::ring;
use std::error;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, Timeout};

const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Nothing was sent or came for so long. (A whole request may take longer.)
const QUIET_TIME: Duration = Duration::from_secs(30);
/// Answers are short: nothing is downloaded.
const LONGEST_ANSWER: u64 = 16 << 20;

/// Makes clients of one agent. The crate `object_store` hides the answers to requests that failed, so the last failure is kept here.
#[derive(Clone, Debug)]
pub struct BlockingHttp {
    agent: Agent,
    failure: Arc<Mutex<Option<StoreFailure>>>,
    /// The host at which a setting says that credentials are.
    metadata: Option<String>,
}

/// The hosts that clouds give credentials at. They are addresses of the machine's own link.
const CREDENTIALS: [&str; 3] = ["169.254.169.254", "169.254.170.2", "metadata.google.internal"];

impl BlockingHttp {
    /// `metadata`: the address at which a setting says that credentials are.
    pub fn new(metadata: Option<&str>) -> BlockingHttp {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // (A limit for the resolver would start a thread, and the command must be forked by one that is alone.)
            .timeout_connect(Some(CONNECT_TIME))
            .timeout_per_read(Some(QUIET_TIME))
            .timeout_per_write(Some(QUIET_TIME))
            .user_agent("stride")
            .tls_config(tls())
            .build();
        let authority = |url: &str| Some(url.split("://").nth(1)?.split('/').next()?.to_owned());
        let metadata = metadata.and_then(authority);
        BlockingHttp { agent: config.new_agent(), failure: Arc::default(), metadata }
    }

    /// Why the last request failed, if it did.
    pub fn take_failure(&self) -> Option<StoreFailure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn gives_credentials(&self, to: &str) -> bool {
        let host = to.split(':').next().unwrap_or_default();
        CREDENTIALS.contains(&host) || self.metadata.as_deref() == Some(to)
    }

    fn keep(&self, to: &str, failure: Option<StoreFailure>) {
        let failure =
            failure.map(|failure| if self.gives_credentials(to) { without_credentials(&failure) } else { failure });
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

/// The certificates of the system, or those that SSL_CERT_FILE and AWS_CA_BUNDLE name.
fn tls() -> TlsConfig {
    static ROOTS: OnceLock<Arc<Vec<Certificate<'static>>>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        Arc::new(found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect())
    });
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .root_certs(RootCerts::Specific(roots.clone()))
        .build()
}

impl HttpConnector for BlockingHttp {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for BlockingHttp {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let to = parts.uri.authority().map(ToString::to_string).unwrap_or_default();
        // (One piece is not copied.)
        let body = body.collect().await?.to_bytes();
        let has_body = !body.is_empty() || parts.method == Method::PUT || parts.method == Method::POST;
        let answer = if has_body {
            self.agent.run(Request::from_parts(parts, &body[..]))
        } else {
            self.agent.run(Request::from_parts(parts, ()))
        };
        let fail = |error: ureq::Error| {
            let (kind, why) = reason(&error);
            self.keep(&to, Some(StoreFailure::passing(format!("{to}: {why}"))));
            HttpError::new(kind, NoAnswer)
        };
        let (parts, mut body) = answer.map_err(fail)?.into_parts();
        let body = read(&mut body).map_err(fail)?;
        self.keep(&to, StoreFailure::of_answer(parts.status, &body));
        Ok(Response::from_parts(parts, HttpResponseBody::new(Full::new(body).map_err(|never| match never {}))))
    }
}

/// The error that the crate `object_store` gets. The reason is kept beside it.
#[derive(Debug)]
struct NoAnswer;

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no answer")
    }
}

impl error::Error for NoAnswer {}

fn without_credentials(failure: &StoreFailure) -> StoreFailure {
    StoreFailure::lasting(format!(
        "there are no credentials: no variable names any, and this machine is given none ({failure})"
    ))
}

fn read(body: &mut Body) -> Result<Bytes, ureq::Error> {
    Ok(body.with_config().limit(LONGEST_ANSWER).read_to_vec()?.into())
}

fn reason(error: &ureq::Error) -> (HttpErrorKind, String) {
    match error {
        ureq::Error::Timeout(Timeout::Connect) => (HttpErrorKind::Connect, "it takes too long to connect".into()),
        ureq::Error::Timeout(_) => (HttpErrorKind::Timeout, "no answer in time".into()),
        ureq::Error::HostNotFound => (HttpErrorKind::Connect, "there is no such host".into()),
        ureq::Error::ConnectionFailed => (HttpErrorKind::Connect, "no connection".into()),
        ureq::Error::Io(error) => (HttpErrorKind::Request, stride_output::why(error)),
        other => (HttpErrorKind::Unknown, legible(&other.to_string())),
    }
}
