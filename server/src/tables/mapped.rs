//! The map of a large table's file into memory: the only unsafe code there is.

use std::fs::File;
use std::io;

/// Bytes of a file, paged in as they are looked at.
#[derive(Debug)]
pub(super) struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps `len` bytes of a file from `offset` on, which must all be there: a page beyond
    /// a file's end kills whoever looks at it.
    pub(super) fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        let mut map = memmap2::MmapOptions::new();
        map.offset(offset).len(len);
        #[expect(
            unsafe_code,
            reason = "a map is sound while nobody changes its file. It is a file of our own \
                cache directory, opened to be read; every gridrace replaces such a file by \
                renaming another over it, or unlinks it, which leaves the mapped one as it \
                is, and none ever writes to one or cuts it in place"
        )]
        let map = unsafe { map.map(file) }?;
        Ok(Self(map))
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
