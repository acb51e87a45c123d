//! The index: what this is and how to join, as text and as a small page.

use gridrace_shared::protocol::heat::HeatSummary;

/// Writes the index for curl and its like.
pub(super) fn text(host: &str, heats: &[HeatSummary]) -> String {
    let mut text = format!(
        "gridrace: race your friends on the identical sliding puzzle.\n\n\
         Join from a terminal:    gridrace join CODE {host}\n\
         Join the only open heat: gridrace join {host}\n\
         Watch:                   gridrace watch CODE {host}\n\
         Write a bot:             ws://{host}/ws, JSON or bincode, see server/PROTOCOL.md\n\n"
    );
    if heats.is_empty() {
        text += "No open heats.\n";
    } else {
        text += "CODE  PUZZLE        PLAYERS  WATCHING  STATE\n";
    }
    for heat in heats {
        let HeatSummary {
            code,
            spec,
            players,
            spectators,
            ..
        } = heat;
        let spec = spec.to_string();
        text += &format!(
            "{code}  {spec:<12}  {players:>7}  {spectators:>8}  {}\n",
            state(heat)
        );
    }
    text
}

/// Writes the index for browsers.
pub(super) fn html(host: &str, heats: &[HeatSummary]) -> String {
    let host = escape(host);
    let mut rows = String::new();
    for heat in heats {
        let HeatSummary {
            code,
            spec,
            players,
            spectators,
            ..
        } = heat;
        rows += &format!(
            "<tr><td class=code>{code}<td>{}<td>{players}<td>{spectators}<td>{}\n",
            escape(&spec.to_string()),
            state(heat)
        );
    }
    if rows.is_empty() {
        rows = "<tr><td colspan=5>No open heats.\n".to_owned();
    }
    format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <title>gridrace</title>\n<style>{STYLE}</style>\n\
         <h1>gridrace</h1>\n\
         <p>Race your friends on the identical sliding puzzle. Everybody of a heat gets the\n\
         same seeded board at the same instant; the server checks every move.</p>\n\
         <h2>Open heats</h2>\n\
         <table><thead><tr><th>Code<th>Puzzle<th>Players<th>Watching<th>State</thead>\n\
         <tbody>{rows}</tbody></table>\n\
         <h2>Join from a terminal</h2>\n\
         <pre>gridrace join CODE {host}</pre>\n\
         <h2>Watch</h2>\n\
         <pre>gridrace watch CODE {host}</pre>\n\
         <h2>Bring a bot</h2>\n\
         <pre>gridrace bot CODE {host} --skill expert</pre>\n\
         <p>Or write one in any language: <code>ws://{host}/ws</code> speaks JSON.</p>\n</html>\n"
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1.05rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:2rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:1.75rem 0 .5rem}\
table{border-collapse:collapse;width:100%;display:block;overflow-x:auto}\
th,td{text-align:left;padding:.4rem .9rem .4rem 0;border-bottom:1px solid #8884;white-space:nowrap}\
.code{font:700 1.1rem ui-monospace,monospace;letter-spacing:.1em}\
pre{padding:.75rem 1rem;background:#8882;border-radius:.4rem;overflow-x:auto}\
code,pre{font-family:ui-monospace,monospace}";

fn state(heat: &HeatSummary) -> &'static str {
    if heat.in_lobby { "lobby" } else { "racing" }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_host_header_says_stays_text() {
        let page = html("<script>alert('x')</script>", &[]);
        assert!(!page.contains("<script"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
