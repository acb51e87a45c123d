//! TLS for a server that faces the network without a proxy in front.

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

/// A certificate with its key, ready to shake hands.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Why a certificate and a key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file can't be read, or holds no PEM.
    #[error("can't read {}: {}", .0.display(), Fault(.1))]
    File(PathBuf, pem::Error),
    /// A file holds PEM, but no certificate.
    #[error("{} holds no certificate", .0.display())]
    NoCertificate(PathBuf),
    /// The key and the certificate don't belong together.
    #[error("the private key is another certificate's")]
    OtherKey,
    /// The certificate can't be used.
    #[error("the certificate can't be used: {0}")]
    Unusable(rustls::Error),
}

/// A fault of a PEM file in words.
struct Fault<'a>(&'a pem::Error);

impl std::fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let pem::Error::Io(error) = self.0 {
            return error.fmt(f);
        }
        if let pem::Error::NoItemsFound = self.0 {
            return f.write_str("it holds no private key in PEM");
        }
        self.0.fmt(f)
    }
}

impl Tls {
    /// Reads a chain of certificates and the first one's private key, both in PEM.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| TlsError::File(certificate.to_owned(), error))?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate(certificate.to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| TlsError::File(key.to_owned(), error))?;
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
        // The only one that leads to a WebSocket here.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Shakes hands with a client.
    ///
    /// # Errors
    /// The client is gone, or doesn't speak TLS that is safe.
    pub async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.0.accept(stream).await
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is in it.
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}
