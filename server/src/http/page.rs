//! The index: what this is and how to join, as text and as a small page.

use gridrace_shared::protocol::PATH;
use gridrace_shared::protocol::snapshot::HeatSummary;

/// How the page was asked for, and so how the server is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    /// The host that was asked.
    pub(super) host: &'a str,
    /// Whether by TLS.
    pub(super) secure: bool,
}

impl Way<'_> {
    /// Returns the address for the program's commands, and that of the WebSocket.
    fn addresses(self) -> (String, String) {
        let Self { host, secure } = self;
        if secure {
            (format!("wss://{host}"), format!("wss://{host}{PATH}"))
        } else {
            (host.to_owned(), format!("ws://{host}{PATH}"))
        }
    }
}

/// Writes the index for curl and its like.
pub(super) fn text(way: Way<'_>, heats: &[HeatSummary]) -> String {
    let code = example(heats);
    let (address, socket) = way.addresses();
    let mut text = format!(
        "gridrace: race your friends on the identical puzzle, sliding or Numberlink.\n\n\
         Join from a terminal   gridrace join {code} {address}\n\
         Watch                  gridrace watch {code} {address}\n\
         Bring a bot            gridrace bot {code} {address} --skill expert\n\
         Write a bot            {socket} speaks JSON and bincode; see docs/bots.md\n\n"
    );
    if heats.is_empty() {
        text += "No heat is open.\n";
    } else {
        text += "CODE  PUZZLE        PLAYERS  WATCHING  STATE\n";
    }
    for heat in heats {
        let HeatSummary { code, spec, players, spectators, .. } = heat;
        let (spec, state) = (spec.to_string(), state(heat));
        text += &format!("{code}  {spec:<12}  {players:>7}  {spectators:>8}  {state}\n");
    }
    text
}

/// Writes the index for browsers: it loads itself anew, for a screen in the hall.
pub(super) fn html(way: Way<'_>, heats: &[HeatSummary]) -> String {
    let code = example(heats);
    let (address, socket) = way.addresses();
    let (address, socket) = (escape(&address), escape(&socket));
    let mut rows = String::new();
    for heat in heats {
        let HeatSummary { code, spec, players, spectators, .. } = heat;
        let (spec, state) = (escape(&spec.to_string()), state(heat));
        rows += &format!(
            "<tr><td class=code>{code}<td>{spec}<td>{players}<td>{spectators}<td>{state}\n"
        );
    }
    if rows.is_empty() {
        rows = "<tr><td colspan=5>No heat is open.\n".to_owned();
    }
    format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=refresh content=10>\n\
         <title>gridrace</title>\n<style>{STYLE}</style>\n\
         <main>\n<h1>gridrace</h1>\n\
         <p>Race your friends on the identical puzzle, sliding or Numberlink. Everybody of a heat gets the\n\
         same seeded board at the same instant; the server checks every move.</p>\n\
         <h2>Open heats</h2>\n\
         <div class=wide><table>\n\
         <thead><tr><th>Code<th>Puzzle<th>Players<th>Watching<th>State</thead>\n\
         <tbody>{rows}</tbody>\n</table></div>\n\
         <h2>Join from a terminal</h2>\n\
         <pre>gridrace join {code} {address}</pre>\n\
         <h2>Watch</h2>\n\
         <pre>gridrace watch {code} {address}</pre>\n\
         <h2>Bring a bot</h2>\n\
         <pre>gridrace bot {code} {address} --skill expert</pre>\n\
         <p>Or write one in any language: <code>{socket}</code> speaks JSON.</p>\n\
         </main>\n</html>\n"
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark;--faint:#8883}\
body{font:1.05rem/1.5 system-ui,sans-serif;margin:0}\
main{max-width:42rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:2rem;line-height:1.2;margin:0 0 .5rem}\
h2{font-size:1.1rem;margin:1.75rem 0 .5rem}\
.wide{overflow-x:auto}\
table{border-collapse:collapse;width:100%}\
th,td{text-align:left;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--faint);white-space:nowrap}\
td{font-variant-numeric:tabular-nums}\
.code{font:700 1.1rem ui-monospace,monospace;letter-spacing:.1em}\
pre{padding:.75rem 1rem;background:var(--faint);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}\
@media(max-width:30rem){table{font-size:.8rem}th,td{padding-right:.4rem}.code{font-size:.9rem}}\
code,pre{font-family:ui-monospace,monospace}";

/// Returns the code that the commands show: that of the first heat one can still get into.
fn example(heats: &[HeatSummary]) -> String {
    let open = heats.iter().find(|heat| heat.in_lobby);
    open.map_or_else(|| "CODE".to_owned(), |heat| heat.code.to_string())
}

fn state(heat: &HeatSummary) -> &'static str {
    if heat.in_lobby { "open" } else { "under way" }
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
    use gridrace_shared::heat::ids::RoomCode;

    fn heat(number: u32, in_lobby: bool) -> HeatSummary {
        HeatSummary {
            code: RoomCode::from_number(number),
            spec: "slide:4x4".parse().unwrap(),
            players: 3,
            spectators: 12,
            in_lobby,
        }
    }

    const PLAIN: Way<'_> = Way { host: "10.0.0.1:7415", secure: false };

    #[test]
    fn by_tls_every_address_says_so() {
        let way = Way { host: "race.example", secure: true };
        let text = text(way, &[heat(1, true)]);
        let join = "gridrace join BBBC wss://race.example\n";
        assert!(text.contains(join), "{text}");
        let page = html(way, &[]);
        let socket = "<code>wss://race.example/ws</code>";
        assert!(page.contains(socket), "{page}");
    }

    #[test]
    fn the_text_says_how_to_get_into_an_open_heat() {
        let text = text(PLAIN, &[heat(0, false), heat(1, true)]);
        assert!(text.contains("gridrace join BBBC 10.0.0.1:7415\n"), "{text}");
        assert!(text.contains("BBBB  slide:4x4           3        12  under way\n"), "{text}");
        assert!(text.contains("BBBC  slide:4x4           3        12  open\n"), "{text}");
    }

    #[test]
    fn without_heats_the_commands_keep_a_placeholder() {
        assert!(text(PLAIN, &[]).contains("gridrace join CODE 10.0.0.1:7415\n"));
        assert!(html(PLAIN, &[]).contains("No heat is open."));
    }

    #[test]
    fn whatever_the_host_header_says_stays_text() {
        let page = html(Way { host: "<script>alert('x')</script>", secure: false }, &[]);
        assert!(!page.contains("<script"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
