//! HTML as a tree, and Markdown that says the same: for posts of an import, and for the Markdown beside each page.

pub mod blocks;
pub mod canonical;
pub mod html;
mod inline;
pub mod main;
pub mod markdown;
pub mod tree;
