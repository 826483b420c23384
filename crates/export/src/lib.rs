//! `--export`: metrics of a run, for Prometheus and OpenTelemetry. docs/export.md describes them.
//!
//! [`instruments`] declares each metric once: its name, unit, help and labels. [`registry`] counts, with a fixed number of
//! series, and hands out what it has counted as [`families`]. The formats write those: [`text`], [`protobuf`], [`otlp`].
//!
//! The main thread only counts. Everything that has to do with the network or a disk is done in other threads, from copies ([`shared`]),
//! so a slow client delays nobody.

mod durations;
mod facts;
mod families;
mod file;
mod formats;
mod instruments;
mod label_names;
mod labels;
mod otlp;
mod outlet;
mod periodic;
mod protobuf;
mod registry;
mod requests;
mod server;
mod shared;
mod target;
mod text;
mod view;

pub use facts::OutletFacts;
pub use instruments::{ALL as INSTRUMENTS, Instrument, InstrumentKind, InstrumentUnit, LabelKey};
pub use labels::ExportLabels;
pub use outlet::Outlet;
pub use target::ExportTarget;
pub use view::{ExportView, counting};
