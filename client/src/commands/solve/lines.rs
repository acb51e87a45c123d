//! The lines of the input of `gridrace solve`, of both families.

/// Returns the lines that aren't empty nor comments, with their numbers from 1.
pub fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Writes the grids of a text as a list, one a line, if they take several lines with empty ones in
/// between, and two of them at least are boards. A grid's line is its first one.
pub fn grids_as_lines(text: &str, is_board: impl Fn(&str) -> bool) -> Option<String> {
    let mut list: Vec<String> = Vec::new();
    let mut begun = None;
    for line in text.lines().map(str::trim) {
        let is_row = !line.is_empty() && !line.starts_with('#') && !line.contains(['/', ':', ';']);
        match begun {
            Some(first) if is_row => {
                let grid: &mut String = &mut list[first];
                grid.push('/');
                grid.push_str(line);
                list.push(String::new());
                continue;
            }
            _ if is_row => begun = Some(list.len()),
            _ if line.starts_with('#') => (),
            _ => begun = None,
        }
        list.push(line.to_owned());
    }
    list.iter().filter(|line| is_board(line)).nth(1)?;
    Some(list.join("\n"))
}
