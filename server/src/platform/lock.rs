//! Locks without poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock under which no code panics between two changes, so that a poisoned one holds whole
/// data as well.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
