//! `sitegen --help`: the commands in the groups that people look for, and the options of every command apart from those
//! of one.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _};

use super::Arguments;

/// The heading of the options that every command has.
pub(super) const OF_EVERY_COMMAND: &str = "Options of every command";

/// The groups, each with the names of its commands.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["new", "import", "serve", "theme", "cms"]),
    (
        "Check",
        &[
            "check", "fmt", "routes", "diff", "explain", "why", "schema", "lsp",
        ],
    ),
    ("Translate", &["translations", "changed"]),
    (
        "Publish",
        &[
            "build",
            "hosts",
            "next-change",
            "indexnow",
            "visits",
            "cache",
        ],
    ),
    ("Leads", &["leads"]),
    ("More", &["completions", "help"]),
];

/// The description of `help`, which clap adds when it builds all commands. That would take a millisecond in each run.
const ABOUT_HELP: &str = "Print this message or the help of the given subcommand(s)";

/// The command line of the program.
pub(super) fn command() -> Command {
    let command = Arguments::command();
    let groups = grouped(&command);
    let header = *command.get_styles().get_header();
    let options = format!("{header}{OF_EVERY_COMMAND}:{header:#}\n{{options}}");
    let top = "{about-with-newline}\n{usage-heading} {usage}\n\n";
    command.help_template(StyledStr::from(format!("{top}{}{options}", groups.ansi())))
}

/// The groups as help shows them, the descriptions one below the other.
fn grouped(command: &Command) -> StyledStr {
    let styles = command.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = StyledStr::new();
    for (group, names) in GROUPS {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{header}{group}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.cloned().unwrap_or_else(|| ABOUT_HELP.into());
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {about}");
        }
        let _ = writeln!(text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_fits_into_a_line() {
        let help = command().render_help().to_string();
        let (commands, _) = help.split_once(OF_EVERY_COMMAND).expect("the options");
        let long = commands
            .lines()
            .filter(|line| line.starts_with("  ") && line.chars().count() > 80);
        assert_eq!(long.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut command = Arguments::command();
        command.build();
        let mut shown: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        shown.sort_unstable();
        known.sort_unstable();
        assert_eq!(shown, known);
        let about = command
            .find_subcommand("help")
            .and_then(Command::get_about)
            .map(ToString::to_string);
        assert_eq!(about.as_deref(), Some(ABOUT_HELP));
    }
}
