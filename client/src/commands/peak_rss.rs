//! How much memory the program has taken.

/// Returns the most bytes of memory that the program ever held, where the system tells:
/// Linux does, in `/proc`.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    read(&status)
}

fn read(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_kernels_words() {
        assert_eq!(read("VmPeak:\t  9 kB\nVmHWM:\t    2048 kB\n"), Some(2_097_152));
        assert_eq!(read("VmHWM:\t many kB"), None);
        assert_eq!(read(""), None);
    }
}
