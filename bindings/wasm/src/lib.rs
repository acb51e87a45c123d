//! The rules of gridrace in a page: a C ABI that takes a request as JSON and answers with JSON.
//!
//! A caller writes the request to the address that [`gridrace_input`] returns for its length,
//! calls [`gridrace_call`], and reads as many bytes as that returns from [`gridrace_output`].
//! `server/web/rules.js` does that. Each address is valid until the next call.
//!
//! The answer is `{"ok":VALUE}` or `{"error":"TEXT"}`. A caller can't break anything: what comes
//! in is parsed as on the server, and nothing here panics on it.

#[cfg(feature = "picture")]
mod picture;
#[cfg(feature = "race")]
mod race;
#[cfg(feature = "replay")]
mod replay;

use serde::Serialize;
#[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
use serde::de::DeserializeOwned;
use std::cell::RefCell;

#[cfg(feature = "race")]
type Module = race::RaceModule;
#[cfg(all(feature = "replay", not(feature = "race")))]
type Module = replay::ReplayModule;
#[cfg(all(feature = "picture", not(any(feature = "race", feature = "replay"))))]
type Module = picture::PictureModule;

/// Upper bound on a request: a whole replay fits.
const MAX_INPUT: usize = 8 * 1024 * 1024;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    #[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
    static MODULE: RefCell<Module> = RefCell::new(Module::default());
}

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Request(#[from] serde_json_core::de::Error),
    #[cfg(any(feature = "race", feature = "replay"))]
    #[error("nothing like that is under way")]
    NotUnderWay,
    #[cfg(feature = "race")]
    #[error("this move can't be played now")]
    NotPlayed,
    #[cfg(feature = "race")]
    #[error("{0}")]
    Key(&'static str),
    #[cfg(feature = "replay")]
    #[error("byte {offset}: {kind}")]
    Replay { offset: u64, kind: String },
}

#[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
#[derive(Serialize)]
struct Refusal {
    error: String,
}

/// Makes room for a request of `length` bytes and returns its address; null if it is too long.
#[unsafe(no_mangle)]
pub extern "C" fn gridrace_input(length: usize) -> *mut u8 {
    if length > MAX_INPUT {
        return std::ptr::null_mut();
    }
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn gridrace_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// Answers the request; returns the length of the answer.
#[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
#[unsafe(no_mangle)]
pub extern "C" fn gridrace_call() -> usize {
    answer(|request| MODULE.with_borrow_mut(|module| module.call(request)))
}

/// Takes the bytes of a replay as they are in its file, and answers like [`gridrace_call`].
#[cfg(feature = "replay")]
#[unsafe(no_mangle)]
pub extern "C" fn gridrace_replay() -> usize {
    answer(|file| MODULE.with_borrow_mut(|module| module.load(file)))
}

/// Takes a replay like [`gridrace_replay`], and answers with what doesn't hold in it.
#[cfg(feature = "replay")]
#[unsafe(no_mangle)]
pub extern "C" fn gridrace_verify() -> usize {
    answer(replay::verify_file)
}

#[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
fn answer(call: impl FnOnce(&[u8]) -> Result<Vec<u8>, CallError>) -> usize {
    let answer = INPUT.with_borrow(|input| call(input)).unwrap_or_else(|error| {
        // A text can always be written.
        serde_json::to_vec(&Refusal { error: error.to_string() }).unwrap_or_default()
    });
    OUTPUT.with_borrow_mut(|output| {
        *output = answer;
        output.len()
    })
}

/// Reads a request, by a parser of a third of the size of `serde_json`'s.
#[cfg(any(feature = "race", feature = "replay", feature = "picture"))]
fn read<T: DeserializeOwned>(request: &[u8]) -> Result<T, CallError> {
    // Texts with escapes are unescaped there.
    let mut unescaped = vec![0; request.len()];
    Ok(serde_json_core::from_slice_escaped(request, &mut unescaped)?.0)
}

/// Encodes the answer of a call that succeeded.
fn ok<T: Serialize>(value: T) -> Result<Vec<u8>, CallError> {
    #[derive(Serialize)]
    struct Answer<T> {
        ok: T,
    }
    Ok(serde_json::to_vec(&Answer { ok: value })?)
}
