//! Cards: an agent's folder for hubs.

use super::*;

#[test]
fn the_card_of_a_run_has_its_score_by_a_command_that_gives_it_again() {
    let place = Place::new();
    place.run_well(&["train", "--quiet", "--config", "tiny.toml", "--name", "mine"]);
    let said = place.run_well(&["card", "mine", "--games", "4", "--folder", "shown"]);
    assert!(said.ends_with("shown: README.md, best.safetensors and what made it\n"), "{said}");
    let folder = place.path("shown");
    for file in ["README.md", "best.safetensors", "config.toml", "evaluations.csv", "curve.svg", "game.gif"] {
        assert!(folder.join(file).is_file(), "{file} is missing");
    }
    let card = fs::read_to_string(folder.join("README.md")).unwrap();
    let head = card.strip_prefix("---\n").and_then(|card| card.split_once("\n---\n")).unwrap().0;
    assert!(head.starts_with("library_name: matchq\n") && !head.contains("license"), "{head}");
    let again = place.run_well(&["eval", "--checkpoint", "shown", "--games", "4", "--seed", "0", "--json", "-"]);
    let mean = serde_json::from_str::<serde_json::Value>(&again).unwrap()["mean"].as_f64().unwrap();
    assert!(card.contains(&format!("is **{mean:.1} ± ")), "{card}");
    assert!(head.contains(&format!("value: {mean:.1} +/- ")), "{head}");
    assert!(card.contains("channels = "), "{card}");
}

#[test]
fn an_agent_that_ships_and_one_whose_games_hardly_end_have_cards_too() {
    let place = Place::new();
    place.run_well(&["card", "match3-fitted", "--games", "3"]);
    let card = fs::read_to_string(place.path("card-match3-fitted/README.md")).unwrap();
    assert!(card.starts_with("---\nlicense: mit\n") && card.contains("learner = \"fitted\""), "{card}");
    let said = place.run_well(&["card", "tetris-shapes"]);
    assert!(said.contains("none was played for a score"), "{said}");
    let card = fs::read_to_string(place.path("card-tetris-shapes/README.md")).unwrap();
    assert!(!card.contains("model-index"), "{card}");
    let command = card.lines().find_map(|line| line.strip_prefix("    matchq endure ")).unwrap();
    let mut words: Vec<&str> = command.split(' ').map(|word| if word == "1000000" { "2000" } else { word }).collect();
    words.insert(0, "endure");
    let players = words.iter().position(|word| *word == ".").unwrap();
    words[players] = "card-tetris-shapes";
    place.run_well(&words);
}

#[test]
fn a_folder_with_files_is_left_as_it_is() {
    let place = Place::new();
    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/own.txt"), "own").unwrap();
    let output = place.run(&["card", "match3-fitted", "--folder", "full"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: the folder full is not empty: name another by --folder\n");
    assert_eq!(fs::read_dir(place.path("full")).unwrap().count(), 1);
}

#[test]
fn an_agent_is_named_by_its_file_and_has_only_a_configuration_of_its_game() {
    let place = Place::new();
    fs::create_dir(place.path("own")).unwrap();
    fs::copy(
        format!("{}/checkpoints/match3-fitted/best.safetensors", env!("CARGO_MANIFEST_DIR")),
        place.path("own/mine.safetensors"),
    )
    .unwrap();
    fs::write(place.path("own/config.toml"), "password = 'secret'\n").unwrap();
    let own = place.path("own/mine.safetensors");
    place.run_well(&["card", own.to_str().unwrap(), "--games", "2"]);
    let card = fs::read_to_string(place.path("card-mine/README.md")).unwrap();
    assert!(card.contains("# mine, an agent for match3") && !card.contains("secret"), "{card}");
    assert!(!place.path("card-mine/config.toml").exists());
}
