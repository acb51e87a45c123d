#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| gridrace_tests::fuzz::run("tournament_record", input));
