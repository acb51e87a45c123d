//! Settings: from the command line, the environment and the file.

use crate::shell::{command, fails, json, printed, said};
use std::path::Path;
use std::process::Output;

/// Runs `gridrace` with a settings file, and a key that isn't there yet.
fn with(settings: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, settings).unwrap();
    command(arguments, Path::new(""))
        .env("GRIDRACE_CONFIG", &path)
        .env("GRIDRACE_KEY", folder.path().join("key"))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn each_setting_says_what_holds_and_from_where() {
    let settings = "\ntheme = \"light\"\nname = \"Anna\"\npuzzle = \"slide:5x5\"\n\
                    [servers]\nclub = \"wss://race.example\"\n[keys.race]\nhint = \"y\"\n";
    let output =
        with(settings, &[("GRIDRACE_NAME", "Bob")], &["config", "--theme", "dark", "--json"]);
    let shown = json(&output);
    let setting = |name: &str| {
        let settings = shown["settings"].as_array().unwrap();
        let setting = settings.iter().find(|setting| setting["name"] == name).unwrap();
        (setting["value"].as_str().unwrap(), setting["source"].as_str().unwrap())
    };
    assert_eq!(setting("theme"), ("dark", "command_line"));
    assert_eq!(setting("name"), ("Bob", "environment"));
    assert_eq!(setting("puzzle"), ("slide:5x5", "file"));
    assert_eq!(setting("bots").1, "default");
    assert_eq!(shown["servers"]["club"], "wss://race.example");
    assert_eq!(shown["keys"]["race"]["hint"][0], "y");
    // Looking at the settings makes no key.
    assert!(shown["fingerprint"].is_null());
    let table = with(settings, &[("GRIDRACE_NAME", "Bob")], &["config"]);
    let row = |name: &str| {
        let mut rows = printed(&table).lines();
        let row = rows.find(|row| row.starts_with(name)).unwrap();
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("theme"), "theme light settings file, line 2");
    assert_eq!(row("name"), "name Bob GRIDRACE_NAME");
    assert_eq!(row("bell"), "bell true default");
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_file() {
    let (file, variable) = ("theme = \"light\"\n", ("GRIDRACE_THEME", "auto"));
    for (variables, arguments, holds) in [
        (&[variable][..], &["--theme", "dark"][..], ("dark", "command_line")),
        (&[variable], &[], ("auto", "environment")),
        (&[], &[], ("light", "file")),
    ] {
        let shown = json(&with(file, variables, &[&["config", "--json"], arguments].concat()));
        let settings = shown["settings"].as_array().unwrap();
        let theme = settings.iter().find(|setting| setting["name"] == "theme").unwrap();
        assert_eq!(
            (theme["value"].as_str(), theme["source"].as_str()),
            (Some(holds.0), Some(holds.1))
        );
    }
}

#[test]
fn a_mistake_in_a_variable_names_the_variable_and_one_that_is_typed_the_option() {
    let variables = [
        ("GRIDRACE_THEME", "drk"),
        ("GRIDRACE_CA", "ca.pem"),
        ("GRIDRACE_PIN", "0"),
        ("GRIDRACE_DATA_DIR", ""),
    ];
    for (arguments, named, other) in [
        (&["play"][..], "'drk' for 'GRIDRACE_THEME'", "--theme"),
        (&["play", "--theme", "drak"], "'drak' for '--theme <THEME>'", "GRIDRACE"),
        (&["results", "--no-such"], "Usage: gridrace results [OPTIONS] [ADDRESS]\n", "--ca"),
        (&["join", "KQZT"], "'0' for 'GRIDRACE_PIN'", "--pin"),
        (&["tournament", "new", "cup"], "'0' for 'GRIDRACE_PIN'", "--pin"),
        (&["host", "--headless", "--pin", "4711"], "required for 'GRIDRACE_DATA_DIR'", "--data"),
    ] {
        let output = with("", &variables, arguments);
        fails(&output, 2, &[named]);
        assert!(!said(&output).contains(other), "{}", said(&output));
    }
}

#[test]
fn a_key_is_shown_by_the_fingerprint_that_servers_know() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("operator");
    std::fs::write(&key, format!("{}\n", "0".repeat(64))).unwrap();
    let arguments = ["config", "--identity", key.to_str().unwrap(), "--json"];
    let shown = json(&with("", &[], &arguments));
    let fingerprint = shown["fingerprint"].as_str().unwrap();
    assert_eq!(fingerprint.len(), 32);
    assert!(fingerprint.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let none = json(&with("", &[], &["config", "--identity=", "--json"]));
    assert!(none["fingerprint"].is_null());
}

#[test]
fn a_mistake_in_the_file_stops_what_has_settings_and_names_its_line() {
    let wrong = "name = \"Anna\"\nthem = \"dark\"\n";
    fails(
        &with(wrong, &[], &["join"]),
        2,
        &["config.toml:2: ", "there is no setting them", "theme"],
    );
    assert!(with(wrong, &[], &["new", "--only", "id"]).status.success());
    assert!(with(wrong, &[], &["config", "--help"]).status.success());
    // The way to the file stays open.
    assert!(with(wrong, &[], &["config", "--path"]).status.success());
}
