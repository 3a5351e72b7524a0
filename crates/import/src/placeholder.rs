//! The picture that is shown in place of one that an import could not get: a crossed frame, in each format.

const PICTURES: [(&str, &[u8]); 5] = [
    ("gif", include_bytes!("placeholder/picture.gif")),
    ("jpg", include_bytes!("placeholder/picture.jpg")),
    ("png", include_bytes!("placeholder/picture.png")),
    ("svg", include_bytes!("placeholder/picture.svg")),
    ("webp", include_bytes!("placeholder/picture.webp")),
];

/// The placeholder for a file of this name; `None` if it is no picture.
pub(super) fn of(file: &str) -> Option<&'static [u8]> {
    let ending = file.rsplit('.').next()?.to_ascii_lowercase();
    PICTURES
        .iter()
        .find(|(own, _)| *own == ending)
        .map(|(_, bytes)| *bytes)
}

/// Whether a file holds a placeholder, so that the picture is still wanted.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    PICTURES
        .iter()
        .any(|(_, placeholder)| *placeholder == bytes)
}
