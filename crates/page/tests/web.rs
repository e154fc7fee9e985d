//! The page's files, alone and in one.

use std::collections::BTreeSet;
use std::fs;

use matchq_page::web::{FILES, Inside, single};
use serde_json::json;

#[test]
fn all_files_of_the_folder_are_in_the_program() {
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/web")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.filter(|name| !name.ends_with(".wasm")).collect();
    assert_eq!(names, FILES.iter().map(|file| file.name.to_owned()).collect());
}

#[test]
fn the_single_file_has_every_module_once_and_nothing_to_load() {
    let page = single(Inside::Modules { engine: "ENGINE", trainer: Some("TRAINER") });
    assert!(page.contains("id=\"wasm\">ENGINE</script>") && page.contains("id=\"trainer\">TRAINER</script>"));
    assert!(page.contains("<style>"));
    assert!(!page.contains("rel=\"stylesheet\"") && !page.contains(" src="));
    assert!(!page.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
    // What two modules call the same would hide one of them.
    let words = ["function ", "async function ", "class ", "const ", "let "];
    let name = |line: &str| {
        let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
        Some(rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?.to_owned())
    };
    let (_, script) = page.split_once("<script type=\"module\">").unwrap();
    let names: Vec<String> = script.lines().filter_map(name).filter(|name| !name.is_empty()).collect();
    let once: BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 40, "{names:?}");
    for name in once {
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
    }
    for file in FILES.iter().filter(|file| file.name.ends_with(".js")) {
        assert!(!file.text.contains("</script"), "{}", file.name);
    }
}

#[test]
fn no_text_of_a_game_ends_the_script_that_holds_it() {
    let page = single(Inside::Record(&json!({"player": "</script><script>alert(1)</script>"})));
    assert!(!page.contains("<script>alert") && page.contains("\\u003c/script>"), "{page}");
}
