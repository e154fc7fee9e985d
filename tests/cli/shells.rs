//! Completions of shells and manual pages.

use super::*;

#[test]
fn every_shell_completes_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = place.run_well(&["completions", shell]);
        for word in ["matchq", "train", "compare", "--resume", "--onnx", "completions"] {
            let word = if shell == "fish" { word.trim_start_matches("--") } else { word };
            assert!(text.contains(word), "{shell} does not complete {word}");
        }
    }
    let output = place.run(&["completions", "csh"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bash_reads_the_completions_and_offers_what_begins_alike() {
    let place = Place::new();
    fs::write(place.path("matchq.bash"), place.run_well(&["completions", "bash"])).unwrap();
    let asked =
        "source matchq.bash; COMP_WORDS=(matchq com); COMP_CWORD=1; _matchq matchq com matchq; echo ${COMPREPLY[@]}";
    let output = std::process::Command::new("bash").args(["-c", asked]).current_dir(place.path("")).output();
    let Ok(output) = output else { return eprintln!("there is no bash here") };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "compare completions\n", "{output:?}");
}

#[test]
fn each_command_has_a_manual_page_with_its_flags() {
    let place = Place::new();
    let said = place.run_well(&["man", "pages"]);
    let names = |name: &str| fs::read_to_string(place.path("pages").join(name)).unwrap();
    assert!(names("matchq.1").contains("matchq\\-train(1)"), "{}", names("matchq.1"));
    assert!(names("matchq-train.1").contains("\\-\\-resume"));
    let pages = fs::read_dir(place.path("pages")).unwrap().count();
    assert!(pages > 20, "{pages} pages");
    // Every page that a page names is there.
    for page in fs::read_dir(place.path("pages")).unwrap() {
        let text = fs::read_to_string(page.unwrap().path()).unwrap().replace('\\', "");
        for (end, _) in text.match_indices("(1)") {
            let begins = |letter: char| !letter.is_ascii_alphanumeric() && letter != '-';
            let name = &text[text[..end].rfind(begins).map_or(0, |at| at + 1)..end];
            assert!(name.is_empty() || place.path("pages").join(format!("{name}.1")).is_file(), "{name}");
        }
    }
    assert!(said.starts_with(&format!("{pages} manual pages are in pages")), "{said}");
    fs::write(place.path("file"), "").unwrap();
    let output = place.run(&["man", "file/pages"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: the folder file/pages cannot be made: "));
}
