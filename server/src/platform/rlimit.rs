//! The limit of open files (`RLIMIT_NOFILE`).

use rustix::process::{Resource, getrlimit, setrlimit};
use tracing::{debug, warn};

/// Raises the number of files, and so of connections, that the process may have open to as
/// many as it is allowed to ask for. By custom that starts at 1,024, which keeps programs of
/// the eighties from breaking.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => debug!(files = limit.current, "open files"),
        Err(error) => warn!(%error, "can't raise the number of open files"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_files_as_are_allowed_may_be_open() {
        raise_open_files();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
