//! Writes the picture that a name gives a board as a PPM file to standard output:
//! `cargo run -p gridrace-shared --example picture -- friday 4x4 > friday.ppm`

use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::util::grid::Size;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(name), Some(size)) = (args.next(), args.next()) else {
        return Err("usage: picture NAME ROWSxCOLUMNS".into());
    };
    let picture = Picture::named(&name, size.parse::<Size>()?);
    let mut output = std::io::stdout().lock();
    writeln!(output, "P6 {} {} 255", picture.width(), picture.height())?;
    output.write_all(&picture.pixels().concat())?;
    Ok(())
}
