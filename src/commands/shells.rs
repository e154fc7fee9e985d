//! `matchq completions` and `matchq man`: the command line for shells, and as manual pages.

use clap_mangen::Man;

use super::{print, quoted};
use crate::cli::{Cli, Completions, Manual};
use crate::error::{Error, Result};
use crate::{files, named};

/// Prints the completions of a shell.
pub fn completions(arguments: &Completions) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::of_the_program(), named::name(), &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Writes a page for the program and one for each command.
pub fn manual(arguments: &Manual) -> Result<()> {
    let Manual { folder } = arguments;
    files::create_folder(folder)
        .map_err(|error| Error::user(format!("the folder {} cannot be made: {error}", folder.display())))?;
    let mut program = without_help(Cli::of_the_program());
    program.build();
    let mut pages = 0;
    for command in with_all_below(&program) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let page = Man::new(command.clone()).title(name.to_uppercase());
        let mut text = Vec::new();
        page.render(&mut text)
            .map_err(|error| Error::runtime(format!("the page {name}.1 cannot be written: {error}")))?;
        let path = folder.join(format!("{name}.1"));
        files::check_destination("man", &path)?;
        files::write_atomically(&path, &text)?;
        pages += 1;
    }
    let first = folder.join(format!("{}.1", named::name()));
    print(&format!(
        "{pages} manual pages are in {}\nread one: man -l {}\n",
        folder.display(),
        quoted(&first.display().to_string())
    ))
}

/// A command whose help is no command of its own.
fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

/// A command and all commands of it that are shown.
fn with_all_below(command: &clap::Command) -> Vec<&clap::Command> {
    let below = command.get_subcommands().filter(|command| !command.is_hide_set());
    std::iter::once(command).chain(below.flat_map(with_all_below)).collect()
}
