//! The solvers' tables of a server.

use crate::harness::{TestServer, options};
use gridrace_server::ServerConfig;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::puzzle::tables::TableSpec;
use gridrace_tables::{Cache, Origin, TableStore};
use std::fs;
use std::num::NonZero;
use std::time::Duration;

/// How long the tables of a small board may take on a busy machine.
const BUILT_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn tables_are_built_in_the_background_and_cached_for_the_next_server() {
    let name = format!("gridrace-it-tables-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    fs::remove_dir_all(&directory).ok(); // left by a process with the same id
    let store = || TableStore::new(Cache::At(directory.clone()));
    let tables = store();
    let server =
        TestServer::start_with(ServerConfig { tables: tables.clone(), ..ServerConfig::default() });
    assert_eq!(tables.snapshot().iter().count(), 0);
    let with_hints = HeatOptions { hints: HintRule::Free, ..options("slide:3x2") };
    server.client().await.open("Anna", &with_hints).await;
    let stand = async {
        while tables.snapshot().iter().count() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BUILT_WITHIN, stand).await.expect("a table");
    // 3×2 and 2×3 share their tables.
    let spec: TableSpec = "2x3-default".parse().unwrap();
    let next = store().get(spec, NonZero::<usize>::MIN, &|_| {});
    assert!(matches!(next.origin, Origin::Cache), "{:?}", next.origin);
    fs::remove_dir_all(&directory).unwrap();
}
