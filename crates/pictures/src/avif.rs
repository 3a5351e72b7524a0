//! AVIF: one 8-bit AV1 frame with 4:2:0 chroma subsampling, and a monochrome frame for transparency.
//!
//! 4:2:0 and 8 bits take a fraction of the time of 4:4:4 and 10 bits. The encoder uses one thread and one tile, so that
//! the bytes do not depend on the machine.

use avif_serialize::Aviffy;
use avif_serialize::constants::MatrixCoefficients as Matrix;
use rav1e::prelude::{
    BlockSize, ChromaSamplePosition, ChromaSampling, ColorDescription, ColorPrimaries, Config, EncoderConfig,
    EncoderStatus, MatrixCoefficients, PartitionRange, PixelRange, Plane, Rational, SceneDetectionSpeed, SpeedSettings,
    TransferCharacteristics, Tune,
};

use crate::Error;
use crate::pixels::Pixels;

/// AV1 quantizer for color, 0 (lossless) to 255.
const QUANTIZER: usize = 138;
/// AV1 quantizer for alpha, 0 (lossless) to 255. It is lower because artifacts at alpha edges are easily visible.
const ALPHA_QUANTIZER: usize = 60;
/// rav1e speed preset, 1 (best and slowest) to 10 (worst and fastest).
const SPEED: u8 = 9;

pub(crate) fn encode(pixels: &Pixels) -> Result<Vec<u8>, Error> {
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let [luma, blue, red] = planes(pixels);
    let half = width.div_ceil(2);
    let color = frame(width, height, ChromaSampling::Cs420, QUANTIZER, &[(&luma, width), (&blue, half), (&red, half)])?;
    let alpha = if pixels.is_opaque() {
        None
    } else {
        let alpha: Vec<u8> = pixels.data().as_chunks::<4>().0.iter().map(|pixel| pixel[3]).collect();
        Some(frame(width, height, ChromaSampling::Cs400, ALPHA_QUANTIZER, &[(&alpha, width)])?)
    };
    let mut container = Aviffy::new();
    container.set_matrix_coefficients(Matrix::Bt601).set_full_color_range(true).set_chroma_subsampling((true, true));
    Ok(container.to_vec(&color, alpha.as_deref(), pixels.width(), pixels.height(), 8))
}

/// The luma plane and the two subsampled chroma planes, by ITU-R BT.601 in full range.
fn planes(pixels: &Pixels) -> [Vec<u8>; 3] {
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let size = if pixels.is_opaque() { 3 } else { 4 };
    let row_bytes = width * size;
    let half = width.div_ceil(2);
    let mut luma = Vec::with_capacity(width * height);
    let mut blue = Vec::with_capacity(half * height.div_ceil(2));
    let mut red = Vec::with_capacity(half * height.div_ceil(2));
    for rows in pixels.data().chunks(row_bytes * 2) {
        for pixel in rows.chunks_exact(size) {
            luma.push(luma_of([pixel[0], pixel[1], pixel[2]].map(i32::from)));
        }
        let (upper, lower) = rows.split_at(row_bytes);
        // The last row of an odd height has no row below it.
        let lower = if lower.is_empty() { upper } else { lower };
        for (upper, lower) in upper.chunks(size * 2).zip(lower.chunks(size * 2)) {
            // Sums four pixels. At the right edge of an odd width, the last column counts twice.
            let sum = |channel: usize| {
                let last = upper.len() - size + channel;
                [upper[channel], upper[last], lower[channel], lower[last]].map(i32::from).iter().sum::<i32>()
            };
            let [b, r] = chroma_of([sum(0), sum(1), sum(2)]);
            blue.push(b);
            red.push(r);
        }
    }
    [luma, blue, red]
}

/// Fixed-point arithmetic in units of 2^-16.
fn luma_of([red, green, blue]: [i32; 3]) -> u8 {
    clamp((19_595 * red + 38_470 * green + 7471 * blue + (1 << 15)) >> 16)
}

/// Takes sums of four pixels, so units are 2^-18.
fn chroma_of([red, green, blue]: [i32; 3]) -> [u8; 2] {
    let middle = (128 << 18) + (1 << 17);
    [
        clamp((-11_058 * red - 21_710 * green + 32_768 * blue + middle) >> 18),
        clamp((32_768 * red - 27_439 * green - 5329 * blue + middle) >> 18),
    ]
}

fn clamp(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or(u8::MAX)
}

fn speed() -> SpeedSettings {
    let mut speed = SpeedSettings::from_preset(SPEED);
    // These settings concern sequences of frames; there is only one frame.
    speed.multiref = false;
    speed.rdo_lookahead_frames = 1;
    speed.scene_detection_mode = SceneDetectionSpeed::None;
    // The preset's minimum is 16, which makes thin lines a third larger and saves an eighth of the time.
    speed.partition.partition_range = PartitionRange::new(BlockSize::BLOCK_8X8, BlockSize::BLOCK_32X32);
    speed
}

/// Encodes one AV1 frame. Each plane comes with its stride in bytes.
fn frame(
    width: usize,
    height: usize,
    chroma_sampling: ChromaSampling,
    quantizer: usize,
    planes: &[(&[u8], usize)],
) -> Result<Vec<u8>, Error> {
    let encoder = EncoderConfig {
        width,
        height,
        time_base: Rational::new(1, 1),
        sample_aspect_ratio: Rational::new(1, 1),
        bit_depth: 8,
        chroma_sampling,
        chroma_sample_position: ChromaSamplePosition::Unknown,
        pixel_range: PixelRange::Full,
        color_description: Some(ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::SRGB,
            matrix_coefficients: MatrixCoefficients::BT601,
        }),
        mastering_display: None,
        content_light: None,
        level_idx: None,
        enable_timing_info: false,
        still_picture: true,
        error_resilient: false,
        switch_frame_interval: 0,
        min_key_frame_interval: 0,
        max_key_frame_interval: 0,
        reservoir_frame_delay: None,
        low_latency: false,
        quantizer,
        min_quantizer: u8::try_from(quantizer).unwrap_or(u8::MAX),
        bitrate: 0,
        tune: Tune::Psychovisual,
        film_grain_params: None,
        tile_cols: 0,
        tile_rows: 0,
        tiles: 1,
        speed_settings: speed(),
    };
    let mut context = Config::new().with_encoder_config(encoder).new_context::<u8>().map_err(Error::new)?;
    let mut frame = context.new_frame();
    for (plane, (bytes, stride)) in frame.planes.iter_mut().zip(planes) {
        Plane::copy_from_raw_u8(plane, bytes, *stride, 1);
    }
    context.send_frame(frame).map_err(Error::new)?;
    context.flush();
    let mut bytes = Vec::new();
    loop {
        match context.receive_packet() {
            Ok(packet) => bytes.extend(packet.data),
            Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::LimitReached) => return Ok(bytes),
            Err(error) => return Err(Error::new(error)),
        }
    }
}
