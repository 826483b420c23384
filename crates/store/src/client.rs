//! A client of a store. Its calls block.

use crate::address::{StoreAddress, StoreKind};
use crate::failure::{StoreFailure, legible};
use crate::http::BlockingHttp;
use crate::settings::StoreSettings;
use futures_util::StreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::future::Future;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

pub struct StoreClient {
    address: StoreAddress,
    objects: Arc<dyn ObjectStore>,
    parts: Arc<dyn MultipartStore>,
    http: BlockingHttp,
    runtime: Runtime,
}

impl StoreClient {
    /// Makes no request.
    pub fn new(address: &StoreAddress, settings: &StoreSettings) -> Result<StoreClient, StoreFailure> {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|e| StoreFailure::lasting(stride_output::why(&e)))?;
        let mut settings = settings.clone();
        if address.kind == StoreKind::S3 {
            settings = settings.with_aws_profile().map_err(StoreFailure::lasting)?;
        }
        let http = BlockingHttp::new(settings.get("AWS_METADATA_ENDPOINT"));
        // A setting is wrong, or a file of credentials.
        let (objects, parts) =
            connect(address, &settings, http.clone()).map_err(|e| StoreFailure::lasting(legible(&e.to_string())))?;
        Ok(StoreClient { address: address.clone(), objects, parts, http, runtime })
    }

    pub fn address(&self) -> &StoreAddress {
        &self.address
    }

    fn wait<T>(&self, request: impl Future<Output = object_store::Result<T>>) -> Result<T, StoreFailure> {
        self.http.take_failure();
        self.runtime.block_on(request).map_err(|error| {
            self.http.take_failure().unwrap_or_else(|| StoreFailure::lasting(legible(&error.to_string())))
        })
    }

    fn path(&self, below: &str) -> Result<Path, StoreFailure> {
        Path::parse(self.address.name(below)).map_err(|e| StoreFailure::lasting(e.to_string()))
    }

    /// Tests that files can be written and listed: begins an upload and gives it up, which nobody sees.
    pub fn check(&self) -> Result<(), StoreFailure> {
        let probe = self.path(&format!(".stride-check-{}", std::process::id()))?;
        let id = self.wait(self.parts.create_multipart(&probe))?;
        self.wait(self.parts.abort_multipart(&probe, &id))?;
        self.holds("traces", ".stride-check").map(drop)
    }

    /// True if this directory below the prefix has a file whose name begins so.
    pub fn holds(&self, directory: &str, begins: &str) -> Result<bool, StoreFailure> {
        let (directory, before) = (self.path(directory)?, self.path(&format!("{directory}/{begins}"))?);
        // The first name behind this one begins with it, or none does.
        self.wait(async {
            let next = self.objects.list_with_offset(Some(&directory), &before).next().await.transpose()?;
            Ok(next.is_some_and(|object| object.location.as_ref().starts_with(before.as_ref())))
        })
    }

    pub fn put(&self, below: &str, bytes: bytes::Bytes) -> Result<(), StoreFailure> {
        let path = self.path(below)?;
        self.wait(self.objects.put_opts(&path, bytes.into(), Default::default())).map(drop)
    }

    pub fn begin(&self, below: &str) -> Result<String, StoreFailure> {
        let path = self.path(below)?;
        self.wait(self.parts.create_multipart(&path))
    }

    pub fn put_part(
        &self,
        below: &str,
        id: &String,
        number: usize,
        bytes: bytes::Bytes,
    ) -> Result<PartId, StoreFailure> {
        let path = self.path(below)?;
        self.wait(self.parts.put_part(&path, id, number, bytes.into()))
    }

    pub fn complete(&self, below: &str, id: &String, parts: Vec<PartId>) -> Result<(), StoreFailure> {
        let path = self.path(below)?;
        self.wait(self.parts.complete_multipart(&path, id, parts)).map(drop)
    }

    pub fn give_up(&self, below: &str, id: &String) -> Result<(), StoreFailure> {
        let path = self.path(below)?;
        self.wait(self.parts.abort_multipart(&path, id))
    }
}

type Connected = (Arc<dyn ObjectStore>, Arc<dyn MultipartStore>);

fn connect(address: &StoreAddress, settings: &StoreSettings, http: BlockingHttp) -> object_store::Result<Connected> {
    // Each failure is counted and told, so it is tried again in one place.
    let retries = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let bucket = &address.bucket;
    // Whoever names an endpoint without TLS wants that.
    let insecure = |names: &[&str]| settings.begins(names, "http://");
    Ok(match address.kind {
        StoreKind::S3 => {
            let mut builder = AmazonS3Builder::new();
            for (key, value) in settings.keys("AWS_") {
                builder = key.parse().map_or(builder.clone(), |key| builder.with_config(key, value));
            }
            if insecure(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]) {
                builder = builder.with_allow_http(true);
            }
            both(builder.with_bucket_name(bucket).with_retry(retries).with_http_connector(http).build()?)
        }
        StoreKind::Google => {
            let mut builder = GoogleCloudStorageBuilder::new();
            for (key, value) in settings.keys("GOOGLE_") {
                builder = key.parse().map_or(builder.clone(), |key| builder.with_config(key, value));
            }
            if insecure(&["GOOGLE_BASE_URL"]) {
                builder = builder.with_client_options(ClientOptions::new().with_allow_http(true));
            }
            both(builder.with_bucket_name(bucket).with_retry(retries).with_http_connector(http).build()?)
        }
        StoreKind::Azure => {
            let mut builder = MicrosoftAzureBuilder::new();
            for (key, value) in settings.keys("AZURE_") {
                builder = key.parse().map_or(builder.clone(), |key| builder.with_config(key, value));
            }
            if let Some(endpoint) = settings.get("IDENTITY_ENDPOINT") {
                builder = builder.with_msi_endpoint(endpoint);
            }
            if insecure(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]) {
                builder = builder.with_allow_http(true);
            }
            builder = match bucket.contains('@') {
                true => builder.with_url(format!("abfss://{bucket}")),
                false => builder.with_container_name(bucket),
            };
            both(builder.with_retry(retries).with_http_connector(http).build()?)
        }
    })
}

fn both<T: ObjectStore + MultipartStore>(store: T) -> Connected {
    let store = Arc::new(store);
    (store.clone(), store)
}
