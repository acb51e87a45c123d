//! Code that the tests share with the fuzz targets of `tests/fuzz`.

#![forbid(unsafe_code)]

pub mod fuzz;
