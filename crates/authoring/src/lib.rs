//! Where a site is edited: the language server of editors, the forms of the preview, and the exchange of texts with
//! translators. Each of them changes sources; none of them builds.

pub mod cms;
pub mod exchange;
pub mod lsp;
