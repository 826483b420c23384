//! Files that go to an object store: Amazon S3 and what speaks its protocol, Google Cloud Storage, Azure's Blob Storage.
//!
//! Whoever makes files writes them to a [`Spool`], a private directory, below the paths that they shall have in the store. A complete
//! file is handed to [`Delivery`], whose thread uploads one file at a time, in their order, tries again while the store is away, and
//! removes what is delivered. An upload is visible when it is whole. To repeat one after an unclear answer does no harm: the same bytes
//! get the same name. What cannot be delivered stays in the spool.
//!
//! The crate `object_store` makes and signs requests. They go through [`http`], whose calls block: only threads of this crate make them.

mod address;
mod client;
mod delivery;
mod failure;
mod http;
mod partition;
mod settings;
mod spool;
mod upload;

pub use address::{StoreAddress, StoreKind};
pub use client::StoreClient;
pub use delivery::{Backoff, Delivery, DeliveryEnd, DeliveryState};
pub use failure::StoreFailure;
pub use partition::partition;
pub use settings::StoreSettings;
pub use spool::{Spool, SpooledFile, remove_empty};
