//! The pictures of sliding puzzles, for heats that have one.

use crate::{CallError, ok, read};
use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::puzzle::picture::room_image::RoomImage;
use gridrace_shared::util::grid::Size;
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(crate) struct PictureModule;

/// The name of a picture, the board that it is for, and the room's image if that is shown instead.
#[derive(Deserialize)]
struct PictureCall {
    name: String,
    size: Size,
    image: Option<RoomImage>,
}

#[derive(Serialize)]
struct Drawn {
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel, row by row, in hexadecimal digits.
    #[serde(with = "hex::serde")]
    pixels: Vec<u8>,
}

impl PictureModule {
    // The modules have one signature.
    #[allow(clippy::unused_self)]
    pub(crate) fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, CallError> {
        let PictureCall { name, size, image } = read(request)?;
        let picture = match image {
            Some(image) => image.picture(size),
            None => Picture::named(&name, size),
        };
        let (width, height) = (picture.width(), picture.height());
        ok(Drawn { width, height, pixels: picture.pixels().concat() })
    }
}
