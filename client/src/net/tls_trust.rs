//! Certificate verification of TLS servers: the system's authorities, and those of a file.

use super::error::{NetError, UntrustedError};
use crate::net::address::AddressError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

/// Trusted certificate authorities: the system's, and those of a file. A clone is a handle on
/// the same.
#[derive(Debug, Clone, Default)]
pub struct Trust(Arc<Authorities>);

#[derive(Default)]
struct Authorities {
    own: Vec<CertificateDer<'static>>,
    /// Made when the first server that speaks TLS is dialled: the system's are many.
    connector: OnceCell<TlsConnector>,
}

/// An error in a file of authorities.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It can't be read, or is no PEM.
    #[error("can't read the certificates in {}: {}", .0.display(), .1)]
    File(PathBuf, pem::Error),
    #[error("{} holds no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    /// A certificate in it can't be used.
    #[error("a certificate in {} can't be used: {}", .0.display(), .1)]
    Unusable(PathBuf, rustls::Error),
}

impl Trust {
    /// Trusts the certificates in a PEM file besides the system's: authorities, or those of
    /// servers themselves.
    pub fn with(file: &Path) -> Result<Self, TrustError> {
        let own: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect)
            .map_err(|error| TrustError::File(file.to_owned(), error))?;
        if own.is_empty() {
            return Err(TrustError::NoCertificate(file.to_owned()));
        }
        let mut roots = RootCertStore::empty();
        for certificate in &own {
            roots
                .add(certificate.clone())
                .map_err(|error| TrustError::Unusable(file.to_owned(), error))?;
        }
        let connector = OnceCell::new();
        Ok(Self(Arc::new(Authorities { own, connector })))
    }

    /// Shakes hands with a server, and finds out that it is the one which was dialled.
    pub(super) async fn shake_hands(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, NetError> {
        let host = ServerName::try_from(host.to_owned()).map_err(|_| AddressError::Host)?;
        let connector = self.0.connector.get_or_try_init(|| self.connector());
        let shaken = connector.await?.connect(host, stream).await;
        shaken.map_err(|error| fault(&error))
    }

    async fn connector(&self) -> Result<TlsConnector, NetError> {
        // What the system keeps is a file of some hundred kilobytes, or many small ones. Of
        // them, what can't be read is skipped.
        let reading = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs);
        let system = reading.await.unwrap_or_default();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(system.certs);
        roots.add_parsable_certificates(self.0.own.iter().cloned());
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| NetError::NoTls)?;
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        // The only one that leads to a WebSocket here; a proxy might choose another.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

impl std::fmt::Debug for Authorities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own = self.own.len();
        f.debug_struct("Authorities").field("own", &own).finish()
    }
}

/// Says what an error of the handshake means.
fn fault(error: &io::Error) -> NetError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        None => NetError::Unreachable(error.kind()),
        Some(rustls::Error::InvalidCertificate(why)) => NetError::Untrusted(distrust(why)),
        Some(_) => NetError::NoTls,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is long and grows, and the rest is all the same to people"
)]
fn distrust(why: &CertificateError) -> UntrustedError {
    use CertificateError as Why;
    match why {
        // The second, where an authority has made itself anew under its old name.
        Why::UnknownIssuer | Why::BadSignature => UntrustedError::Signer,
        Why::Expired | Why::ExpiredContext { .. } => UntrustedError::Expired,
        Why::NotValidYet | Why::NotValidYetContext { .. } => UntrustedError::Early,
        Why::NotValidForName | Why::NotValidForNameContext { .. } => UntrustedError::Name,
        // The verifier has no variant for it.
        Why::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            UntrustedError::Authority
        }
        _ => UntrustedError::Unusable,
    }
}
