//! The argument of `--export`.

use crate::labels::ExportLabels;
use crate::otlp::Collector;
use crate::registry::{DEFAULT_SERIES, FEWEST_SERIES, MOST_SERIES};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

/// Where metrics go, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTarget {
    pub place: ExportPlace,
    /// The limit of series.
    pub series: usize,
    pub labels: ExportLabels,
    /// Calls are timed, and there are histograms.
    pub durations: bool,
    /// So often a Collector gets them.
    pub every: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportPlace {
    /// Prometheus comes and asks. The host is a name or an address.
    Server { host: String, port: u16 },
    /// A file in Prometheus' format.
    File(PathBuf),
    /// A Collector of OpenTelemetry gets them.
    Collector(Collector),
}

const FORMS: &str = "prometheus://HOST:PORT, prometheus:FILE or otlp://HOST:PORT";
/// The port of OTLP by HTTP.
const OTLP_PORT: u16 = 4318;
const EVERY: Duration = Duration::from_secs(10);
const LONGEST_EVERY: u64 = 3600;
/// Without a host, only this machine can ask.
const LOOPBACK: &str = "127.0.0.1";

impl ExportTarget {
    /// Reads the argument. The error is a sentence, in which the option has to be named.
    pub fn parse(given: &str) -> Result<ExportTarget, String> {
        let (place, options) = given.split_once('?').unwrap_or((given, ""));
        let wrong = |why| format!("takes {FORMS}, and in '{given}' {why}");
        let scheme = |name| place.strip_prefix(name);
        let place = if let Some(authority) = scheme("otlp://") {
            let (host, port) = host_and_port(authority, Some(OTLP_PORT)).map_err(wrong)?;
            ExportPlace::Collector(Collector { host, port })
        } else if let Some(authority) = scheme("prometheus://") {
            let (host, port) = host_and_port(authority, None).map_err(wrong)?;
            ExportPlace::Server { host, port }
        } else if let Some(file) = scheme("prometheus:").filter(|file| !file.is_empty()) {
            ExportPlace::File(file.into())
        } else {
            return Err(format!("takes {FORMS}, and not '{given}'"));
        };
        let labels = ExportLabels::ALL;
        let mut target = ExportTarget { place, series: DEFAULT_SERIES, labels, durations: true, every: EVERY };
        options.split('&').filter(|option| !option.is_empty()).try_for_each(|option| target.set(option))?;
        Ok(target)
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        match option.split_once('=') {
            Some(("series", number)) => {
                let series = number.parse().ok().filter(|n| (FEWEST_SERIES..=MOST_SERIES).contains(n));
                self.series = series.ok_or_else(|| {
                    format!("takes from {FEWEST_SERIES} to {MOST_SERIES} series, and not 'series={number}'")
                })?;
                Ok(())
            }
            Some(("by", words)) => {
                self.labels = ExportLabels { thread: false, container: false };
                words.split(',').filter(|word| !word.is_empty()).try_for_each(|word| match word {
                    "comm" => {
                        self.labels.thread = true;
                        Ok(())
                    }
                    "container" => {
                        self.labels.container = true;
                        Ok(())
                    }
                    _ => Err(format!("counts by comm and container beside the syscall, and not by '{word}'")),
                })
            }
            Some(("durations", word)) => {
                self.durations = match word {
                    "yes" => true,
                    "no" => false,
                    _ => return Err(format!("takes durations=yes or durations=no, and not 'durations={word}'")),
                };
                Ok(())
            }
            Some(("every", time)) if matches!(self.place, ExportPlace::Collector(_)) => {
                let seconds = time.strip_suffix('s').and_then(|seconds| seconds.parse().ok());
                let seconds = seconds.filter(|n| (1..=LONGEST_EVERY).contains(n));
                self.every =
                    Duration::from_secs(seconds.ok_or_else(|| {
                        format!("takes from every=1s to every={LONGEST_EVERY}s, and not 'every={time}'")
                    })?);
                Ok(())
            }
            _ => Err(format!(
                "has the options series=N, by=comm,container, durations=no and, of otlp://, every=10s behind a question mark, and not '{option}'"
            )),
        }
    }
}

/// The host and the port of an URL. Without a host, they are of this machine.
fn host_and_port(authority: &str, default: Option<u16>) -> Result<(String, u16), &'static str> {
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let ends_with_host = authority.ends_with(']') || !authority.contains(':');
    let (host, port) = match (authority.rsplit_once(':'), default) {
        (_, Some(port)) if ends_with_host => (authority, port),
        (Some((host, port)), _) => (host, port.parse().map_err(|_| "the port is no number up to 65535")?),
        (None, _) => return Err("there is no port"),
    };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_host = host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:%".contains(&b));
    let host = if host.is_empty() { LOOPBACK } else { host };
    if is_host { Ok((host.into(), port)) } else { Err("the host is none") }
}

/// Listens at the address. The error says why that cannot be.
pub fn listen(host: &str, port: u16) -> std::io::Result<(TcpListener, SocketAddr)> {
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    let listener = TcpListener::bind(&addresses[..])?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16) -> ExportTarget {
        let place = ExportPlace::Server { host: host.into(), port };
        ExportTarget { place, series: DEFAULT_SERIES, labels: ExportLabels::ALL, durations: true, every: EVERY }
    }

    #[test]
    fn what_is_read() {
        assert_eq!(ExportTarget::parse("prometheus://:9464"), Ok(at(LOOPBACK, 9464)));
        assert_eq!(ExportTarget::parse("prometheus://0.0.0.0:80/"), Ok(at("0.0.0.0", 80)));
        assert_eq!(
            ExportTarget::parse("prometheus://[::]:1?series=500"),
            Ok(ExportTarget { series: 500, ..at("::", 1) })
        );
        let labels = ExportLabels { thread: false, container: true };
        assert_eq!(ExportTarget::parse("prometheus://a:1?by=container"), Ok(ExportTarget { labels, ..at("a", 1) }));
        for (given, host, port) in [
            ("otlp://a:9", "a", 9),
            ("otlp://a", "a", 4318),
            ("otlp://[::1]", "::1", 4318),
            ("otlp://", LOOPBACK, 4318),
        ] {
            let place = ExportPlace::Collector(Collector { host: host.into(), port });
            assert_eq!(ExportTarget::parse(given).unwrap().place, place, "{given}");
        }
        assert!(!ExportTarget::parse("otlp://a?durations=no").unwrap().durations);
        assert_eq!(ExportTarget::parse("otlp://a?every=5s&series=100").unwrap().every, Duration::from_secs(5));
        let file = ExportTarget::parse("prometheus:dir/x.prom?by=").unwrap();
        assert_eq!(file.place, ExportPlace::File("dir/x.prom".into()));
        assert_eq!(file.labels, ExportLabels { thread: false, container: false });
    }

    #[test]
    fn what_is_refused() {
        for (given, why) in [
            ("", "takes prometheus://"),
            ("9464", "takes prometheus://"),
            ("http://:9464", "takes prometheus://"),
            ("prometheus:", "takes prometheus://"),
            ("prometheus://localhost", "no port"),
            ("prometheus://:x", "no number"),
            ("prometheus://:70000", "no number"),
            ("prometheus://:", "no number"),
            ("prometheus://a/b:1", "the host is none"),
            ("prometheus://user@a:1", "the host is none"),
            ("prometheus://:1?series=99", "from 100 to 1000000"),
            ("prometheus://:1?series=x", "from 100 to 1000000"),
            ("prometheus://:1?durations=1", "durations=yes or durations=no"),
            ("prometheus://:1?by=pid", "not by 'pid'"),
            ("prometheus://:1?serie=1", "not 'serie=1'"),
            ("prometheus://:1?every=1s", "not 'every=1s'"),
            ("prometheus://a\r\nb:1", "the host is none"),
            ("otlp://a:x", "no number"),
            ("otlp://a/v1", "the host is none"),
            ("otlp://?every=5", "not 'every=5'"),
            ("otlp://?every=0s", "not 'every=0s'"),
        ] {
            let message = ExportTarget::parse(given).unwrap_err();
            assert!(message.contains(why), "{given}: {message}");
        }
    }
}
