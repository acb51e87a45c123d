//! TLS for a server without a proxy in front of it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A certificate chain and its private key.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("can't read {}: {}", .0.display(), pem_error_text(.1))]
    File(PathBuf, pem::Error),
    #[error(
        "{} is encrypted: give a key without a passphrase, as `openssl pkey` writes it", .0.display()
    )]
    Encrypted(PathBuf),
    #[error("{} holds no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    #[error("the private key doesn't match the certificate")]
    OtherKey,
    #[error("unusable certificate: {0}")]
    Unusable(rustls::Error),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others say what was expected")]
fn pem_error_text(error: &pem::Error) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "no private key in PEM".to_owned(),
        other => other.to_string(),
    }
}

impl Tls {
    /// Reads a certificate chain and the private key of its first certificate, both in PEM.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| TlsError::File(certificate.to_owned(), error))?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate(certificate.to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| match is_encrypted(key) {
            true => TlsError::Encrypted(key.to_owned()),
            false => TlsError::File(key.to_owned(), error),
        })?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| {
                if let rustls::Error::InconsistentKeys(_) = error {
                    return TlsError::OtherKey;
                }
                TlsError::Unusable(error)
            })?;
        // WebSockets need HTTP/1.1 here.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Performs the handshake with a client.
    pub async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.0.accept(stream).await
    }
}

/// Returns whether a file that holds no usable key holds an encrypted one.
fn is_encrypted(key: &Path) -> bool {
    let marks = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"];
    std::fs::read_to_string(key).is_ok_and(|text| marks.iter().any(|mark| text.contains(mark)))
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The private key must not be printed.
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}
