//! A decoded picture: its pixels, their average color, and resizing.

use std::borrow::Cow;
use std::f64::consts::PI;

use resize::px::PixelFormat;
use resize::{Filter, Pixel, Type};
use rgb::FromSlice;

use crate::orientation::Orientation;
use crate::{Error, height_at};

/// An upright picture with three bytes per pixel, or four if it has transparency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    is_opaque: bool,
    data: Vec<u8>,
}

impl Pixels {
    /// A picture filled with one color.
    pub fn solid(width: u32, height: u32, color: [u8; 3]) -> Pixels {
        let count = width as usize * height as usize;
        Pixels {
            width,
            height,
            is_opaque: true,
            data: color.repeat(count),
        }
    }

    /// Builds a picture from stored pixels of `N` bytes (3 or 4) and applies the orientation. An alpha channel that is
    /// opaque everywhere is dropped.
    pub(crate) fn upright<const N: usize>(
        size: (u32, u32),
        data: Vec<u8>,
        orientation: Orientation,
    ) -> Result<Pixels, Error> {
        if data.len() != size.0 as usize * size.1 as usize * N {
            return Err(Error::new("its data does not match its size"));
        }
        let data = orientation.turn::<N>(size.0, size.1, data)?;
        let (width, height) = if orientation.is_sideways() {
            (size.1, size.0)
        } else {
            size
        };
        if N == 3 {
            return Ok(Pixels {
                width,
                height,
                is_opaque: true,
                data,
            });
        }
        let (pixels, _) = data.as_chunks::<4>();
        let is_opaque = pixels.iter().all(|pixel| pixel[3] == u8::MAX);
        let data = if is_opaque {
            pixels
                .iter()
                .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
                .collect()
        } else {
            data
        };
        Ok(Pixels {
            width,
            height,
            is_opaque,
            data,
        })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether the picture has no transparency.
    pub fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    /// The bytes in the order red, green, blue, and alpha unless the picture is opaque.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The average color, weighted by alpha.
    pub fn average(&self) -> [u8; 3] {
        let mut sums = [0_u64; 3];
        let mut weight = 0_u64;
        let mut add = |color: [u8; 3], alpha: u8| {
            weight += u64::from(alpha);
            for (sum, value) in sums.iter_mut().zip(color) {
                *sum += u64::from(value) * u64::from(alpha);
            }
        };
        if self.is_opaque {
            self.data
                .as_chunks::<3>()
                .0
                .iter()
                .for_each(|color| add(*color, 1));
        } else {
            self.data
                .as_chunks::<4>()
                .0
                .iter()
                .for_each(|[red, green, blue, alpha]| add([*red, *green, *blue], *alpha));
        }
        let half = weight / 2;
        sums.map(|sum| {
            sum.checked_add(half)
                .and_then(|sum| sum.checked_div(weight))
                .unwrap_or_default()
        })
        .map(|value| u8::try_from(value).unwrap_or(u8::MAX))
    }

    /// The picture resized to a width in pixels, with its aspect ratio. Borrowed if it already has this width.
    pub fn resized(&self, width: u32) -> Result<Cow<'_, Pixels>, Error> {
        if width == self.width {
            return Ok(Cow::Borrowed(self));
        }
        let height = height_at(width, self.width, self.height);
        let channels = if self.is_opaque { 3 } else { 4 };
        let mut data = vec![0; width as usize * height as usize * channels];
        if self.is_opaque {
            self.resize(
                Pixel::RGB8,
                self.data.as_rgb(),
                width,
                height,
                data.as_rgb_mut(),
            )?;
        } else {
            self.resize(
                Pixel::RGBA8P,
                self.data.as_rgba(),
                width,
                height,
                data.as_rgba_mut(),
            )?;
        }
        Ok(Cow::Owned(Pixels {
            width,
            height,
            is_opaque: self.is_opaque,
            data,
        }))
    }

    /// Resizes pixels of a format to a width and a height.
    fn resize<Format: PixelFormat>(
        &self,
        format: Format,
        source: &[Format::InputPixel],
        width: u32,
        height: u32,
        target: &mut [Format::OutputPixel],
    ) -> Result<(), Error> {
        let size = |side: u32| side as usize;
        let filter = Type::Custom(Filter::new(Box::new(lanczos3), 3.0));
        resize::new(
            size(self.width),
            size(self.height),
            size(width),
            size(height),
            format,
            filter,
        )
        .and_then(|mut resizer| resizer.resize(source, target))
        .map_err(Error::new)
    }
}

/// The Lanczos kernel with three lobes. The sine is computed in 64 bits: the mathematics libraries of systems differ in the
/// last of them, and pictures must not.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the weights of pixels are 32 bits wide"
)]
fn lanczos3(x: f32) -> f32 {
    let x = f64::from(x).abs();
    if x < 3.0 {
        (sinc(x) * sinc(x / 3.0)) as f32
    } else {
        0.0
    }
}

/// The normalized sinc function.
fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        (x * PI).sin() / (x * PI)
    }
}
