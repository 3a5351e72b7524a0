//! `sitegen explain CODE`: prints what a problem code means.

use diagnostics::problem::{Code, did_you_mean};

use super::{stderr, stdout};

pub(super) fn explain(name: Option<&str>) -> u8 {
    let Some(name) = name else {
        let width = Code::ALL
            .iter()
            .map(|code| code.name().len())
            .max()
            .unwrap_or(0);
        for code in Code::ALL {
            let first = code.explanation().split(". ").next().unwrap_or_default();
            stdout(&format!("{:width$}  {first}\n", code.name()));
        }
        return 0;
    };
    if let Some(code) = Code::ALL.iter().find(|code| code.name() == name) {
        stdout(&format!("{}\n\n{}\n", code.name(), code.explanation()));
        0
    } else {
        let hint = did_you_mean(name, Code::ALL.iter().map(|code| code.name()))
            .unwrap_or_else(|| "`sitegen explain` lists all codes".to_owned());
        stderr(&format!(
            "error: there is no problem code `{name}`\n  hint: {hint}\n"
        ));
        2
    }
}
