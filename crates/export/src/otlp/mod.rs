//! OpenTelemetry's protocol: OTLP by HTTP, with protobuf messages.

mod delivery;
mod logs;
mod messages;
mod metrics;
mod post;
mod resource;

pub use delivery::{CollectorTask, Delivered, clock};
pub use post::Collector;
pub use resource::OtlpResource;
