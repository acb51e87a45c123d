//! Addresses: a puzzle that is read has an address, which reads as the same puzzle.
#![no_main]

use gridrace_shared::numberlink::notation::{read_puzz_link, write_puzz_link};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(puzzle) = read_puzz_link(text) {
        let address = write_puzz_link(&puzzle);
        assert_eq!(read_puzz_link(&address.unwrap()), Ok(puzzle));
    }
});
