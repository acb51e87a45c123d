//! Statements of a group.

use crate::store::error::StoreError;
use rusqlite::{Params, Transaction};

/// Executes a statement of a group, which is prepared once.
pub(super) fn execute(
    group: &Transaction<'_>,
    sql: &str,
    params: impl Params,
) -> Result<(), StoreError> {
    group.prepare_cached(sql)?.execute(params)?;
    Ok(())
}
