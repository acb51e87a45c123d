//! Ids and specs: what is read is written and read again.
#![no_main]

use gridrace_shared::numberlink::HeatSpec;
use gridrace_shared::numberlink::notation::LinkId;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(id) = text.parse::<LinkId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(spec) = text.parse::<HeatSpec>() {
        assert_eq!(spec.to_string().parse(), Ok(spec));
    }
});
