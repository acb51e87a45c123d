//! The files of the page: embedded in the program, or read from a folder while one works on them.
//!
//! Their names are a closed list, so no text of a request becomes the path of a file.

use super::headers::{displayable_host, list_header};
use super::not_found::not_found;
use crate::platform::environment::Environment;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

const HTML: &str = "text/html; charset=utf-8";
/// Browsers read a stylesheet in the encoding of its page, and modules and workers as UTF-8.
const CSS: &str = "text/css";
const JS: &str = "text/javascript";
const SVG: &str = "image/svg+xml";
const WASM: &str = "application/wasm";
/// What the committed WebAssembly is compressed with: it is served as it is.
const GZIPPED: &str = ".gz";

/// A file of the page.
struct Asset {
    /// Its name under `/web/`.
    name: &'static str,
    content_type: &'static str,
    /// Its name in `server/web`.
    file: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal: $content_type:ident = $file:literal,)+) => {
        &[$(Asset {
            name: $name,
            content_type: $content_type,
            file: $file,
            bytes: include_bytes!(concat!("../../web/", $file)),
        }),+]
    };
}

const SHELL: &str = "index.html";
static ASSETS: &[Asset] = assets! {
    "index.html": HTML = "index.html",
    "style.css": CSS = "style.css",
    "home.css": CSS = "home.css",
    "results.css": CSS = "results.css",
    "icon.svg": SVG = "icon.svg",
    "board_grid.js": JS = "board_grid.js",
    "bracket.js": JS = "bracket.js",
    "dom.js": JS = "dom.js",
    "families.js": JS = "families.js",
    "forms.js": JS = "forms.js",
    "help.js": JS = "help.js",
    "home.js": JS = "home.js",
    "identity.js": JS = "identity.js",
    "link.css": CSS = "link.css",
    "link.js": JS = "link.js",
    "link_colors.js": JS = "link_colors.js",
    "lobby.js": JS = "lobby.js",
    "main.js": JS = "main.js",
    "menu.js": JS = "menu.js",
    "net.js": JS = "net.js",
    "new_tournament.js": JS = "new_tournament.js",
    "options.js": JS = "options.js",
    "organiser.js": JS = "organiser.js",
    "over.js": JS = "over.js",
    "paint.js": JS = "paint.js",
    "palette.js": JS = "palette.js",
    "past_tournaments.js": JS = "past_tournaments.js",
    "phase_view.js": JS = "phase_view.js",
    "picture.css": CSS = "picture.css",
    "picture.js": JS = "picture.js",
    "race.js": JS = "race.js",
    "records.js": JS = "records.js",
    "replay.js": JS = "replay.js",
    "room.js": JS = "room.js",
    "room_view.js": JS = "room_view.js",
    "rules.js": JS = "rules.js",
    "rules_worker.js": JS = "rules_worker.js",
    "rules_worker_client.js": JS = "rules_worker_client.js",
    "slide.js": JS = "slide.js",
    "sound.js": JS = "sound.js",
    "standings.js": JS = "standings.js",
    "tournament.css": CSS = "tournament.css",
    "tournament.js": JS = "tournament.js",
    "tournament_parts.js": JS = "tournament_parts.js",
    "tournament_tv.js": JS = "tournament_tv.js",
    "tournament_view.js": JS = "tournament_view.js",
    "tournament_words.js": JS = "tournament_words.js",
    "tv.css": CSS = "tv.css",
    "tv.js": JS = "tv.js",
    "wake_lock.js": JS = "wake_lock.js",
    "words.js": JS = "words.js",
    "rules.wasm": WASM = "rules.wasm.gz",
    "replay.wasm": WASM = "replay.wasm.gz",
    "picture.wasm": WASM = "picture.wasm.gz",
};

/// A file as it is sent.
#[derive(Clone)]
struct Body {
    plain: Option<Bytes>,
    gzipped: Bytes,
    etag: HeaderValue,
}

static EMBEDDED: LazyLock<Vec<Body>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| Body::new(asset, asset.bytes.to_vec())).collect());

/// Where the page's files come from.
#[derive(Debug, Clone, Default)]
pub(crate) enum PageFiles {
    #[default]
    Embedded,
    /// The folder `server/web` of a working copy, read anew for each request.
    Folder(PathBuf),
}

impl Body {
    fn new(asset: &Asset, bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        // Hexadecimal digits in quotes are a header's value.
        let etag = HeaderValue::try_from(format!("\"{digits}\""));
        let etag = etag.unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        if asset.file.ends_with(GZIPPED) {
            return Self { plain: None, gzipped: bytes.into(), etag };
        }
        let gzipped = gzip(&bytes).into();
        Self { plain: Some(bytes.into()), gzipped, etag }
    }
}

/// Compresses bytes; writing into memory can't fail.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok();
    encoder.finish().unwrap_or_default()
}

impl PageFiles {
    /// Compresses the files on a thread apart, so that no move waits for the first request.
    pub(crate) fn prepare(&self, environment: &Environment) {
        if let Self::Embedded = self {
            environment.spawn_detached(|| {
                LazyLock::force(&EMBEDDED);
            });
        }
    }

    fn body(&self, name: &str) -> Option<(&'static str, Body)> {
        let index = ASSETS.iter().position(|asset| asset.name == name)?;
        let asset = ASSETS.get(index)?;
        let body = match self {
            Self::Embedded => EMBEDDED.get(index)?.clone(),
            Self::Folder(folder) => Body::new(asset, std::fs::read(folder.join(asset.file)).ok()?),
        };
        Some((asset.content_type, body))
    }

    /// Answers a request for a file of the page.
    pub(super) fn serve(&self, name: &str, headers: &HeaderMap) -> Response {
        let Some((content_type, body)) = self.body(name) else {
            return not_found();
        };
        let fixed = [
            (CONTENT_TYPE, HeaderValue::from_static(content_type)),
            // The browser keeps it, and asks each time whether it is still the same.
            (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (ETAG, body.etag.clone()),
            (VARY, HeaderValue::from_static("accept-encoding")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        if names_etag(&list_header(headers, IF_NONE_MATCH.as_str()), &body.etag) {
            return (StatusCode::NOT_MODIFIED, fixed).into_response();
        }
        let encodings = list_header(headers, ACCEPT_ENCODING.as_str());
        match body.plain {
            Some(plain) if !accepts_gzip(&encodings) => (fixed, plain).into_response(),
            _ => (fixed, [(CONTENT_ENCODING, "gzip")], body.gzipped).into_response(),
        }
    }

    /// Answers with the page under an address that leads nowhere, which it says.
    pub(super) fn serve_not_found_page(&self, headers: &HeaderMap) -> Response {
        // What a browser has is never the answer: it would be status 304.
        let mut headers = headers.clone();
        headers.remove(IF_NONE_MATCH);
        let mut response = self.serve_page(&headers);
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().remove(ETAG);
        let fields = [(CACHE_CONTROL, "no-store"), (VARY, "accept, accept-encoding")];
        let fields = fields.map(|(name, value)| (name, HeaderValue::from_static(value)));
        response.headers_mut().extend(fields);
        response
    }

    /// Answers with the page, which finds out by the address what to show.
    pub(super) fn serve_page(&self, headers: &HeaderMap) -> Response {
        let mut response = self.serve(SHELL, headers);
        let policy = HeaderValue::try_from(content_policy(displayable_host(headers)));
        let fields: [(HeaderName, Option<HeaderValue>); 2] = [
            (CONTENT_SECURITY_POLICY, policy.ok()),
            (REFERRER_POLICY, Some(HeaderValue::from_static("no-referrer"))),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        response.headers_mut().extend(fields);
        response
    }
}

/// Returns whether an `If-None-Match` names this tag, by the weak comparison of RFC 9110.
fn names_etag(known: &str, etag: &HeaderValue) -> bool {
    let mut tags = known.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
    tags.any(|tag| tag == "*" || tag.as_bytes() == etag.as_bytes())
}

/// Returns whether an `Accept-Encoding` names gzip, and not with a weight of zero.
fn accepts_gzip(encodings: &str) -> bool {
    encodings.split(',').any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, "q=1"));
        let weight = weight.trim().trim_start_matches(['q', 'Q']).trim_start_matches('=');
        name.trim().eq_ignore_ascii_case("gzip") && weight.parse() != Ok(0.0)
    })
}

/// Returns the page's content policy. It names the host, as Safari's `'self'` leaves out WebSockets.
fn content_policy(host: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_by_a_list_a_weak_tag_and_a_star() {
        let etag = HeaderValue::from_static("\"ab12\"");
        for known in ["\"ab12\"", "W/\"ab12\"", "\"cd34\", W/\"ab12\"", "\"ab12\",\"cd34\"", "*"] {
            assert!(names_etag(known, &etag), "{known}");
        }
        for other in ["", "\"cd34\"", "ab12", "W/\"cd34\", \"ab\""] {
            assert!(!names_etag(other, &etag), "{other}");
        }
    }

    #[test]
    fn gzip_is_accepted_unless_its_weight_is_zero() {
        for accepted in ["gzip", "br, gzip", "GZIP;q=0.5", "deflate;q=0, gzip ; q=1.0"] {
            assert!(accepts_gzip(accepted), "{accepted}");
        }
        for refused in ["", "br", "gzip;q=0", "br, gzip; q=0.000", "notgzip"] {
            assert!(!accepts_gzip(refused), "{refused}");
        }
    }
}
