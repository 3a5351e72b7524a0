//! Editing content in a form: what the values of a file are, and how they are saved.

pub mod save;
