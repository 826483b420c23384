//! The argument of `--export`.

use crate::labels::ExportLabels;
use crate::registry::{DEFAULT_SERIES, FEWEST_SERIES, MOST_SERIES};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;

/// Where metrics go, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTarget {
    pub place: ExportPlace,
    /// The limit of series.
    pub series: usize,
    pub labels: ExportLabels,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportPlace {
    /// Prometheus comes and asks. The host is a name or an address.
    Server { host: String, port: u16 },
    /// A file in Prometheus' format.
    File(PathBuf),
}

const FORMS: &str = "prometheus://HOST:PORT or prometheus:FILE";
/// Without a host, only this machine can ask.
const LOOPBACK: &str = "127.0.0.1";

impl ExportTarget {
    /// Reads the argument. The error is a sentence, in which the option has to be named.
    pub fn parse(given: &str) -> Result<ExportTarget, String> {
        let (place, options) = given.split_once('?').unwrap_or((given, ""));
        let Some(rest) = place.strip_prefix("prometheus:") else {
            return Err(format!("needs {FORMS}, and not '{given}'"));
        };
        let place = match rest.strip_prefix("//") {
            Some(authority) => server(authority).map_err(|why| format!("{why} in '{given}': it takes {FORMS}"))?,
            None if rest.is_empty() => return Err(format!("has no file in '{given}': it takes {FORMS}")),
            None => ExportPlace::File(rest.into()),
        };
        let mut target = ExportTarget { place, series: DEFAULT_SERIES, labels: ExportLabels::ALL };
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
            _ => Err(format!(
                "has the options series=N and by=comm,container behind a question mark, and not '{option}'"
            )),
        }
    }
}

fn server(authority: &str) -> Result<ExportPlace, &'static str> {
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let (host, port) = authority.rsplit_once(':').ok_or("there is no port")?;
    let port = port.parse().map_err(|_| "the port is no number up to 65535")?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_host = !host.contains(['/', '@', '[', ']', ' ']);
    let host = if host.is_empty() { LOOPBACK } else { host };
    if is_host { Ok(ExportPlace::Server { host: host.into(), port }) } else { Err("the host is none") }
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
        ExportTarget { place, series: DEFAULT_SERIES, labels: ExportLabels::ALL }
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
        let file = ExportTarget::parse("prometheus:dir/x.prom?by=").unwrap();
        assert_eq!(file.place, ExportPlace::File("dir/x.prom".into()));
        assert_eq!(file.labels, ExportLabels { thread: false, container: false });
    }

    #[test]
    fn what_is_refused() {
        for (given, why) in [
            ("", "needs prometheus://"),
            ("9464", "needs prometheus://"),
            ("http://:9464", "needs prometheus://"),
            ("prometheus:", "no file"),
            ("prometheus://localhost", "no port"),
            ("prometheus://:x", "no number"),
            ("prometheus://:70000", "no number"),
            ("prometheus://:", "no number"),
            ("prometheus://a/b:1", "the host is none"),
            ("prometheus://user@a:1", "the host is none"),
            ("prometheus://:1?series=99", "from 100 to 1000000"),
            ("prometheus://:1?series=x", "from 100 to 1000000"),
            ("prometheus://:1?by=pid", "not by 'pid'"),
            ("prometheus://:1?serie=1", "not 'serie=1'"),
        ] {
            let message = ExportTarget::parse(given).unwrap_err();
            assert!(message.contains(why), "{given}: {message}");
        }
    }
}
