//! `gridrace tables`: build them, look at them, remove them.

use crate::cli::args::tables::{BuildArgs, RemoveArgs, TablesArgs, TablesCommand};
use crate::cli::exit_code::Failure;
use crate::commands::progress_bar::Bar;
use crate::commands::write_json_line;
use crate::display::safe_text;
use crate::net::clock::Clock;
use gridrace_shared::puzzle::slide::solve::tables::{BuildProgress, LAYOUT_VERSION, TableSpec};
use gridrace_tables::{
    BuildStage, CACHE_VARIABLE, Cache, CacheFile, FileError, FileRole, Obtained, Origin, TableStore,
};
use serde::Serialize;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::Path;

pub fn run(args: &TablesArgs) -> Result<(), Failure> {
    let store = TableStore::new(Cache::choose(args.cache_dir.as_deref()));
    let out = &mut io::stdout().lock();
    match &args.action {
        TablesCommand::Build(build) => build_all(&store, build, args.json, out),
        TablesCommand::Info => info(&store, args.json, out),
        TablesCommand::Remove(remove) => remove_all(&store, remove, args.json, out),
    }
}

/// Gets a table for a solver, on all cores. What went wrong on the way is said on stderr,
/// and that is all: the table stands.
pub(crate) fn bring(store: &TableStore, spec: TableSpec) {
    let obtained = watched(store, spec, None);
    if let Origin::Built { rejected, uncached } = obtained.origin {
        if let Some(fault) = rejected {
            warn(&format!("the table {spec} was built anew: {fault}"));
        }
        if let Some(error) = uncached {
            warn(&format!("the table {spec} can't be kept: {error}"));
        }
    }
}

/// Gets a table if it is kept, and says whether it stands.
pub(crate) fn loaded(store: &TableStore, spec: TableSpec) -> bool {
    match store.load(spec) {
        Ok(table) => table.is_some(),
        Err(fault) => {
            warn(&format!("the table {spec} is left aside: {fault}"));
            false
        }
    }
}

/// Gets a table, while a line on the terminal says how far that is.
fn watched(store: &TableStore, spec: TableSpec, threads: Option<NonZero<usize>>) -> Obtained {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let bar = Bar::new();
    store.get(spec, threads.unwrap_or_else(cores), &|stage| {
        let waiting = |what: &str| {
            bar.show(|elapsed| format!("{what} {spec}, {:.1} s", elapsed.as_secs_f64()));
        };
        match stage {
            BuildStage::Waiting => waiting("another gridrace builds"),
            BuildStage::Building(BuildProgress { done, of }) => {
                bar.show_done(|| format!("building {spec}"), done, of);
            }
            BuildStage::Writing => waiting("storing"),
        }
    })
}

/// Says on stderr what is amiss with a table.
pub(crate) fn warn(what: &str) {
    // stderr may be closed.
    writeln!(io::stderr(), "gridrace: {}", safe_text::lines(what)).ok();
}

#[derive(Serialize)]
struct Made {
    table: String,
    built: bool,
    instead_of: Option<String>,
    bytes: usize,
    seconds: f64,
}

fn build_all(
    store: &TableStore,
    build: &BuildArgs,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let specs = build.specs().map_err(|error| {
        Failure::usage(format!(
            "{error}: there are default ones for boards of up to 16 cells and for 5x5, large ones for \
             4x4 and 5x5, and mtm for boards of up to 16 cells"
        ))
    })?;
    if *store.cache() == Cache::Off {
        return Err(Failure::usage(format!("{CACHE_VARIABLE} is empty: no tables are kept")));
    }
    let mut unkept = None;
    for spec in specs {
        let clock = Clock::start();
        let threads = build.threads.and_then(|threads| NonZero::new(threads.into()));
        let Obtained { table, origin } = watched(store, spec, threads);
        let (built, instead_of) = match origin {
            Origin::Memory | Origin::Cache => (false, None),
            Origin::Built { rejected, uncached: why } => {
                unkept = unkept.or(why);
                (true, rejected)
            }
        };
        let made = Made {
            table: spec.to_string(),
            built,
            instead_of: instead_of.map(|fault| fault.to_string()),
            bytes: table.payload().len(),
            seconds: clock.elapsed().as_secs_f64(),
        };
        print_made(&made, json, out)?;
    }
    match unkept {
        None => Ok(()),
        Some(error) => Err(anyhow::Error::new(error).context("the tables are gone again").into()),
    }
}

fn print_made(made: &Made, json: bool, out: &mut impl Write) -> io::Result<()> {
    if json {
        return write_json_line(out, made);
    }
    let how = match (made.built, &made.instead_of) {
        (false, _) => "stands already, checked".to_owned(),
        (true, None) => "built".to_owned(),
        (true, Some(fault)) => format!("built anew ({fault})"),
    };
    let size = in_bytes(made.bytes as u64);
    writeln!(out, "{}  {size}, {how} in {:.2} s", made.table, made.seconds)
}

#[derive(Serialize)]
struct Kept {
    directory: Option<String>,
    layout: u32,
    files: Vec<KeptFile>,
}

#[derive(Serialize)]
struct KeptFile {
    file: String,
    table: String,
    layout: u32,
    bytes: u64,
    verified: bool,
    fault: Option<String>,
}

fn info(store: &TableStore, json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let cache = match store.cache() {
        // Where nothing can be kept, nothing is.
        Cache::Unknown => &Cache::Off,
        cache @ (Cache::At(_) | Cache::Off) => cache,
    };
    let files = cache.files().map_err(anyhow::Error::from)?;
    let directory = cache.directory().map_err(anyhow::Error::from)?;
    let files = files.iter().filter_map(kept).collect();
    let kept = Kept {
        directory: directory.map(|path| path.display().to_string()),
        layout: LAYOUT_VERSION,
        files,
    };
    if json {
        return Ok(write_json_line(out, &kept)?);
    }
    match &kept.directory {
        None => writeln!(out, "no directory: tables are built for each run")?,
        Some(directory) => writeln!(out, "directory  {}", safe_text::lines(directory))?,
    }
    if kept.files.is_empty() && kept.directory.is_some() {
        writeln!(out, "no tables yet")?;
    }
    for file in &kept.files {
        let fault = file.fault.as_deref().unwrap_or("checked, good");
        let size = in_bytes(file.bytes);
        writeln!(out, "  {:<12} {size:>9}  {fault}", file.table)?;
    }
    if kept.files.iter().any(|file| !file.verified) {
        writeln!(
            out,
            "what isn't good is not used: gridrace tables build TABLE builds it anew, and gridrace tables \
             remove TABLE frees its room"
        )?;
    }
    Ok(())
}

/// Checks a file; a lock is of no interest.
fn kept(file: &CacheFile) -> Option<KeptFile> {
    let fault = match file.role {
        FileRole::Table => file.check().err().as_ref().map(FileError::to_string),
        FileRole::Part => Some("unfinished: it is being built, or its builder was ended".into()),
        FileRole::Lock => return None,
    };
    Some(KeptFile {
        file: name(&file.path),
        table: file.spec.to_string(),
        layout: file.version,
        bytes: file.bytes,
        verified: fault.is_none(),
        fault,
    })
}

#[derive(Serialize)]
struct Removed {
    files: Vec<String>,
    bytes: u64,
}

fn remove_all(
    store: &TableStore,
    remove: &RemoveArgs,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let meant = |spec| remove.all || remove.which.iter().any(|which| which.means(spec));
    let files = store.cache().remove(&meant).map_err(anyhow::Error::from)?;
    let removed = Removed {
        files: files.iter().map(|file| name(&file.path)).collect(),
        bytes: files.iter().map(|file| file.bytes).sum(),
    };
    if json {
        return Ok(write_json_line(out, &removed)?);
    }
    if removed.files.is_empty() {
        return Ok(writeln!(out, "no such tables are stored")?);
    }
    for file in &removed.files {
        writeln!(out, "removed {}", safe_text::lines(file))?;
    }
    Ok(writeln!(out, "{} freed", in_bytes(removed.bytes))?)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn in_bytes(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
