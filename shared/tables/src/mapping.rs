//! Memory maps of large table files: the only unsafe code of the workspace.

use std::fs::File;
use std::io;

/// Bytes of a file, paged in as they are read.
#[derive(Debug)]
pub(super) struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps `len` bytes of a file from `offset` on, which must all exist: reading a page beyond the
    /// file's end kills the process.
    pub(super) fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        let mut map = memmap2::MmapOptions::new();
        map.offset(offset).len(len);
        #[expect(
            unsafe_code,
            reason = "a map is sound while its file doesn't change. The file is in this program's \
                own cache directory and open for reading; every gridrace replaces such a file \
                by renaming another over it, or unlinks it, which leaves the mapped file as it \
                is, and none writes to it or truncates it in place"
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
