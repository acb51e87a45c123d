//! Where the program keeps its heats, and what it says where it can't: a clear line, exit code
//! 1, and nothing overwritten.

use crate::program::{Ended, Folder, Program, command, settle};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lets a server make its data in a folder, and stop.
fn made(data: &str) {
    let mut program = Program::start(&["--data", data]);
    program.says("store opened");
    program.says("listening");
    program.signal("TERM");
    assert_eq!(program.ends().code, Some(0));
}

/// Every file below a folder, with its bytes; but for the lock, and what SQLite keeps beside a
/// database that is open.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            found.extend(files(&path));
        } else if name != "lock" && !name.ends_with("-shm") && !name.ends_with("-wal") {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Checks that the program doesn't start, says why, and has changed nothing.
fn refuses(folder: &Folder, data: &str, why: &str) {
    let before = files(folder.path());
    let Ended { code, said } = Program::start(&["--data", data]).gets_refused();
    assert_eq!(code, Some(1), "{why}: {said}");
    let line = said.lines().last().unwrap();
    assert!(line.starts_with("gridrace-server: "), "{said}");
    assert!(line.contains(why), "{why} in\n{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(files(folder.path()), before, "{why}");
}

#[test]
fn a_database_of_a_newer_version_gets_refused() {
    let folder = Folder::new("newer");
    let data = folder.at("data");
    made(&data);
    let database = Connection::open(folder.at("data/gridrace.db")).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(database);
    let why = "data/gridrace.db: the database has layout 99, and this program knows up to ";
    refuses(&folder, &data, why);
}

#[test]
fn a_heat_of_another_version_of_the_race_is_set_aside_and_said_so() {
    let folder = Folder::new("aside");
    let data = folder.at("data");
    made(&data);
    let database = Connection::open(folder.at("data/gridrace.db")).unwrap();
    let heat = "INSERT INTO heats (id, code, version, standing, checkpoint, since)
        VALUES (1, 'KQZT', 2, NULL, x'00', 1)";
    database.execute_batch(heat).unwrap();
    drop(database);
    let mut program = Program::start(&["--data", &data]);
    program.says("a heat is set aside in the table aside heat=KQZT");
    program.says("listening");
    program.signal("TERM");
    let Ended { code, said } = program.ends();
    assert_eq!(code, Some(0));
    let line = said.lines().find(|line| line.contains("heat=KQZT"));
    let line = line.unwrap();
    let why = "why=it was written by version 2 of the race, and this is version ";
    assert!(line.contains(why), "{line}");
    assert!(line.contains(&format!("into=\"{data}/gridrace.db\"")), "{line}");
}

#[test]
fn a_damaged_database_gets_refused() {
    let folder = Folder::new("damaged");
    let data = folder.at("data");
    made(&data);
    let path = folder.at("data/gridrace.db");
    let whole = fs::read(&path).unwrap();
    // Its second page, overwritten; a tail that is missing; a file that is something else.
    let mut page = whole.clone();
    page[4_096..8_192].fill(0x5a);
    for bytes in [page, whole[..whole.len() - 4_096].to_vec(), vec![0x5a; 9_000]] {
        fs::write(&path, bytes).unwrap();
        refuses(&folder, &data, "data/gridrace.db: the database is damaged: ");
    }
}

#[test]
fn a_database_of_another_program_gets_refused() {
    let folder = Folder::new("foreign");
    let database = Connection::open(folder.at("gridrace.db")).unwrap();
    database.execute_batch("CREATE TABLE theirs (one)").unwrap();
    drop(database);
    let data = folder.path().display().to_string();
    refuses(&folder, &data, "the database belongs to another program");
}

#[test]
fn a_folder_that_another_server_has_gets_refused() {
    let folder = Folder::new("taken");
    let data = folder.at("data");
    let mut first = Program::start(&["--data", &data]);
    first.says("listening");
    let Ended { code, said } = Program::start(&["--data", &data]).gets_refused();
    assert_eq!(code, Some(1));
    assert!(said.contains(&format!("another server uses {data}")), "{said}");
    // The first one goes on.
    first.signal("TERM");
    assert_eq!(first.ends().code, Some(0));
}

#[test]
fn a_database_that_is_locked_gets_refused() {
    let folder = Folder::new("locked");
    let data = folder.at("data");
    made(&data);
    let before = files(folder.path());
    let other = Connection::open(folder.at("data/gridrace.db")).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    // Nobody here may read the file meanwhile: closing it would give up this process's locks.
    let Ended { code, said } = Program::start(&["--data", &data]).gets_refused();
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert_eq!(code, Some(1));
    let why = "data/gridrace.db: another program holds the database locked";
    assert!(said.contains(why), "{said}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_path_that_is_a_file_gets_refused() {
    let folder = Folder::new("file");
    fs::write(folder.at("data"), "a letter").unwrap();
    refuses(&folder, &folder.at("data"), "data is no folder");
    refuses(&folder, &folder.at("data/below"), "data/below is no folder");
}

#[test]
fn a_folder_that_may_not_be_written_gets_refused() {
    let folder = Folder::new("read-only");
    // Root may write anywhere but here.
    let mut paths = vec!["/proc/self/task".to_owned()];
    let data = folder.at("data");
    made(&data);
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
        let Ended { code, said } = Program::start(&["--data", &path]).gets_refused();
        assert_eq!(code, Some(1), "{said}");
        let clear = ["no permission for ", "is of no use: "];
        assert!(clear.iter().any(|clear| said.contains(clear)), "{said}");
        assert!(said.contains(&path), "{said}");
        assert_eq!(files(folder.path()), before);
    }
}

#[test]
fn a_full_disk_is_said_and_leaves_what_is_there() {
    let folder = Folder::new("full");
    let program = env!("CARGO_BIN_EXE_gridrace-server");
    // No file may grow beyond so many kilobytes, as if the disk were full.
    let limited = |kilobytes: u32, data: &str| {
        let script = "trap '' XFSZ; ulimit -f $0; exec \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, &kilobytes.to_string(), program]);
        command.args(["--listen", "127.0.0.1:0", "--metrics", "off", "--data", data]);
        settle(&mut command);
        Program::run(&mut command).gets_refused()
    };
    for kilobytes in [0, 1, 8, 24] {
        let data = folder.at(&format!("fresh-{kilobytes}"));
        let Ended { code, said } = limited(kilobytes, &data);
        assert_eq!(code, Some(1), "{kilobytes}: {said}");
        assert!(said.contains("the disk "), "{kilobytes}: {said}");
        // Once there is room, the same folder serves.
        made(&data);
    }
    let data = folder.at("older");
    made(&data);
    let database = Connection::open(folder.at("older/gridrace.db")).unwrap();
    let older = "DROP INDEX finished_by_heat; ALTER TABLE finished DROP COLUMN heat;
        PRAGMA user_version = 3;
        INSERT INTO finished VALUES ('KQZT-20261121-3f9c', 'KQZT', 1, 5, 'slide:4x4', '{}', '{}', x'07')";
    database.execute_batch(older).unwrap();
    drop(database);
    let Ended { code, said } = limited(4, &data);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the disk "), "{said}");
    made(&data);
    let database = Connection::open(folder.at("older/gridrace.db")).unwrap();
    let replay: Vec<u8> =
        database.query_row("SELECT replay FROM finished", (), |row| row.get(0)).unwrap();
    assert_eq!(replay, [7]);
}

#[test]
fn heats_are_kept_where_programs_data_belong_unless_it_is_said_otherwise() {
    let folder = Folder::new("default");
    let run = |arguments: &[&str], change: &dyn Fn(&mut Command)| {
        let mut command = command(arguments);
        command.env("HOME", folder.at("home"));
        command.env("XDG_DATA_HOME", folder.at("xdg"));
        change(&mut command);
        let mut program = Program::run(&mut command);
        program.says("listening");
        program.signal("TERM");
        assert_eq!(program.ends().code, Some(0));
        let kept: Vec<String> = files(folder.path())
            .into_keys()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        kept
    };
    assert_eq!(run(&[], &|_| {}), ["xdg/gridrace/gridrace.db"]);
    let without = |command: &mut Command| {
        command.env_remove("XDG_DATA_HOME");
    };
    let home = ["home/.local/share/gridrace/gridrace.db"];
    assert_eq!(run(&[], &without), home);
    let named = |command: &mut Command| {
        command.env("GRIDRACE_DATA_DIR", folder.at("named"));
    };
    assert_eq!(run(&[], &named), ["named/gridrace.db"]);
    let given = folder.at("given");
    assert_eq!(run(&["--data", &given], &named), ["given/gridrace.db"]);
    let none: [&str; 0] = [];
    assert_eq!(run(&["--ephemeral"], &named), none);
    let empty = |command: &mut Command| {
        command.env("GRIDRACE_DATA_DIR", "");
    };
    assert_eq!(run(&[], &empty), none);
}
