//! The data folder: where it is, and that an unusable one is refused with a clear message, exit
//! code 1 and no change to its files.

use crate::program::{ExitReport, Folder, Program, command, isolate};
use gridrace_shared::heat::identity::Key;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts a server on a folder and stops it.
fn create_data(data: &str) {
    Program::start(&["--data", data]).stop();
}

/// Returns the files below a folder with their contents, except the lock, the journal, and SQLite's
/// files beside an open database.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            found.extend(files(&path));
        } else if name != "lock"
            && !name.starts_with("journal-")
            && !name.ends_with("-shm")
            && !name.ends_with("-wal")
        {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn an_unusable_database_is_refused_with_a_message_and_left_unchanged() {
    let folder = Folder::new();
    let data = folder.at("data");
    create_data(&data);
    let database = Connection::open(folder.at("data/gridrace.db")).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(database);
    let before = files(folder.path());
    let ExitReport { code, log } = Program::start(&["--data", &data]).wait_for_refusal();
    assert_eq!(code, Some(1), "{log}");
    let line = log.lines().last().unwrap();
    let why = "data/gridrace.db: the database has layout 99, and this program knows up to ";
    assert!(line.starts_with("gridrace-server: ") && line.contains(why), "{log}");
    assert!(!log.contains("panicked"), "{log}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_heat_of_an_unknown_format_is_set_aside_and_logged() {
    let folder = Folder::new();
    let data = folder.at("data");
    create_data(&data);
    let database = Connection::open(folder.at("data/gridrace.db")).unwrap();
    let heat = "INSERT INTO heats (id, code, version, standing, checkpoint, since)
        VALUES (1, 'KQZT', 2, NULL, x'00', 1)";
    database.execute_batch(heat).unwrap();
    drop(database);
    let mut program = Program::start(&["--data", &data]);
    let line = program.wait_for_log("journal moved to table `aside` room=KQZT");
    program.stop();
    let why = "why=version 2 of the journal is not readable; this server reads ";
    assert!(line.contains(why), "{line}");
    assert!(line.contains(&format!("into=\"{data}/gridrace.db\"")), "{line}");
}

#[test]
fn the_first_start_makes_an_operator_s_key_and_says_how_to_join_with_it() {
    let folder = Folder::new();
    let data = folder.at("data");
    let mut program = Program::start(&["--data", &data]);
    let line = program.wait_for_log("operator key created");
    program.stop();
    let path = folder.at("data/operator.key");
    let key: Key = fs::read_to_string(&path).unwrap().trim_end().parse().unwrap();
    let fingerprint = key.public().fingerprint(false);
    assert!(line.contains(&format!("fingerprint={fingerprint}")), "{line}");
    assert!(line.contains(&format!("path={path}")), "{line}");
    assert!(line.contains("gridrace join 127.0.0.1:"), "{line}");
    assert!(line.contains(&format!("--identity {path}")), "{line}");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // It stays, and is none of a server whose operators are named.
    let mut program = Program::start(&["--data", &data]);
    program.wait_for_log(&format!("operator key fingerprint={fingerprint}"));
    program.stop();
    let other = folder.at("other");
    Program::start(&["--data", &other, "--operator", &fingerprint.to_string()]).stop();
    assert!(!Path::new(&folder.at("other/operator.key")).exists());
}

#[test]
fn a_read_only_folder_is_refused() {
    let folder = Folder::new();
    // Not even root can write here.
    let mut paths = vec!["/proc/self/task".to_owned()];
    let data = folder.at("data");
    create_data(&data);
    for path in [&data, &folder.at("data/lock"), &folder.at("data/gridrace.db")] {
        let mut mode = fs::metadata(path).unwrap().permissions();
        mode.set_readonly(true);
        fs::set_permissions(path, mode).unwrap();
    }
    if fs::write(folder.at("data/trial"), "").is_err() {
        paths.push(data.clone());
    }
    for path in paths {
        let before = files(folder.path());
        let ExitReport { code, log } = Program::start(&["--data", &path]).wait_for_refusal();
        assert_eq!(code, Some(1), "{log}");
        let clear = ["no permission for ", "can't use "];
        assert!(clear.iter().any(|clear| log.contains(clear)), "{log}");
        assert!(log.contains(&path), "{log}");
        assert_eq!(files(folder.path()), before);
    }
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_data_intact() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_gridrace-server");
    // A limit on the size of files stands in for a full disk.
    let limited = |kilobytes: u32, data: &str| {
        let script = "trap '' XFSZ; ulimit -f $0; exec \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, &kilobytes.to_string(), program]);
        command.args(["--listen", "127.0.0.1:0", "--metrics", "off", "--data", data]);
        isolate(&mut command);
        Program::run(&mut command).wait_for_refusal()
    };
    for kilobytes in [0, 1, 8, 24] {
        let data = folder.at(&format!("fresh-{kilobytes}"));
        let ExitReport { code, log } = limited(kilobytes, &data);
        assert_eq!(code, Some(1), "{kilobytes}: {log}");
        assert!(log.contains("the disk "), "{kilobytes}: {log}");
        // With free space, the same folder is usable.
        create_data(&data);
    }
    let data = folder.at("older");
    create_data(&data);
    let database = Connection::open(folder.at("older/gridrace.db")).unwrap();
    let older = "DROP TABLE tournament_results; DROP TABLE tournament_lines; DROP TABLE tournaments;
        DROP TABLE log; CREATE TABLE journal (part INTEGER PRIMARY KEY, entries BLOB);
        DROP INDEX finished_by_heat; ALTER TABLE finished DROP COLUMN heat;
        PRAGMA user_version = 3;
        INSERT INTO finished VALUES ('KQZT-20261121-3f9c', 'KQZT', 1, 5, 'slide:4x4', '{}', '{}', x'07')";
    database.execute_batch(older).unwrap();
    drop(database);
    let ExitReport { code, log } = limited(4, &data);
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("the disk "), "{log}");
    create_data(&data);
    let database = Connection::open(folder.at("older/gridrace.db")).unwrap();
    let replay: Vec<u8> =
        database.query_row("SELECT replay FROM finished", (), |row| row.get(0)).unwrap();
    assert_eq!(replay, [7]);
}

#[test]
fn the_data_folder_is_chosen_by_option_variable_and_platform_in_this_order() {
    let folder = Folder::new();
    let run = |arguments: &[&str], change: &dyn Fn(&mut Command)| {
        let mut command = command(arguments);
        command.env("HOME", folder.at("home"));
        command.env("XDG_DATA_HOME", folder.at("xdg"));
        change(&mut command);
        Program::run(&mut command).stop();
        let kept: BTreeSet<String> = files(folder.path())
            .into_keys()
            .map(|path| path.parent().unwrap().strip_prefix(folder.path()).unwrap().to_owned())
            .map(|folder| folder.display().to_string())
            .collect();
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        kept.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(run(&[], &|_| {}), ["xdg/gridrace"]);
    let without = |command: &mut Command| {
        command.env_remove("XDG_DATA_HOME");
    };
    let home = ["home/.local/share/gridrace"];
    assert_eq!(run(&[], &without), home);
    let named = |command: &mut Command| {
        command.env("GRIDRACE_DATA_DIR", folder.at("named"));
    };
    assert_eq!(run(&[], &named), ["named"]);
    let given = folder.at("given");
    assert_eq!(run(&["--data", &given], &named), ["given"]);
    let none: [&str; 0] = [];
    assert_eq!(run(&["--ephemeral"], &named), none);
    let empty = |command: &mut Command| {
        command.env("GRIDRACE_DATA_DIR", "");
    };
    assert_eq!(run(&[], &empty), none);
}
