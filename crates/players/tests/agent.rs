//! Agents by file, by folder and by name.

use std::path::Path;

use matchq_players::error::Error;
use matchq_players::games::match3::Rules;
use matchq_players::games::{Bilging, Match3, Tetris};
use matchq_players::network::{Model, ModelConfig, NetworkConfig, Precision, Processor};
use matchq_players::{Agent, AgentFile, BEST, Kind, LAST, agent_file, registry};

use super::weights;

fn example() -> Model {
    let precision = Precision::Bf16;
    let network = NetworkConfig { channels: 4, layers: 2, precision, ..NetworkConfig::default() };
    let rules = [("obstacle_kinds".to_owned(), 1.into())].into_iter().collect();
    let config =
        ModelConfig { game: "match3".into(), rules, mask: "matching".into(), points: 4.0, relative: true, network };
    let mut model = Model { config, weights: Default::default() };
    model.weights = weights::random(&model.shape::<Match3>(), 1);
    model
}

fn shipped(name: &str) -> Agent {
    Agent::shipped(registry::shipped(name).unwrap()).unwrap()
}

fn refused<T>(result: matchq_players::error::Result<T>) -> String {
    match result.err().unwrap() {
        Error::User(text) => text,
        error => panic!("{error}"),
    }
}

#[test]
fn a_model_that_was_written_is_read_again_with_its_rules_and_gives_the_same_file() {
    let file = example().to_file().unwrap();
    let model = Model::from_file::<Match3>(&file, "it").unwrap();
    let config = &model.config;
    assert_eq!((config.game.as_str(), config.rules["obstacle_kinds"].as_integer()), ("match3", Some(1)));
    assert_eq!((config.points, config.network.channels, config.network.precision), (4.0, 4, Precision::Bf16));
    assert_eq!(model.to_file().unwrap(), file);
}

#[test]
fn a_file_that_does_not_fit_is_refused_by_name_with_what_does_not() {
    type Change = fn(&mut AgentFile);
    let cases: [(Change, &str); 9] = [
        (|file| file.game = "chess".into(), "FILE plays chess, not match3"),
        (|file| file.kind = Kind::Value, "FILE is an agent of the player 'value', not of 'network'"),
        (|file| file.rules = "obstacle_kinds".into(), "FILE: this program does not know the agent's rules: "),
        (|file| file.config.insert_str(0, "waste = 1\n"), "FILE: this program does not know the agent's config: "),
        (|file| file.config = file.config.replace("points = 4.0", "points = 0.0"), "FILE: points = 0: it must be"),
        (|file| file.config = file.config.replace("layers = 2", "layers = 1"), "FILE: network.layers = 1: it must"),
        (
            |file| file.config = file.config.replace("mask = \"matching\"", "mask = \"all\""),
            "FILE: 'all' is no mask of",
        ),
        (|file| file.config = file.config.replace("layers = 2", "layers = 3"), "FILE: the weights do not fit"),
        (|file| drop(file.tensors.remove("stem.bias")), "FILE: the weights do not fit"),
    ];
    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("an agent.safetensors");
    for (change, sentence) in cases {
        let mut file = example().to_file().unwrap();
        change(&mut file);
        file.save(&path).unwrap();
        let agent = Agent::load(&path).unwrap();
        let text = match agent.network::<Match3>() {
            // The player checks whether weights fit.
            Ok(_) => refused(agent.player::<Match3>(&Rules::default(), 8, None, &Processor)),
            error => refused(error),
        };
        assert!(text.starts_with(&sentence.replace("FILE", &path.display().to_string())), "{text}");
    }
}

#[test]
fn a_folder_means_its_best_agent_and_what_is_none_is_refused_with_what_it_is() {
    let folder = temp_dir::TempDir::new().unwrap();
    let place = folder.path().display().to_string();
    // The empty name leaves a slash behind the folder.
    let load = |name: &str| Agent::load(&folder.path().join(name));
    let says = |name: &str, sentence: &str| {
        let text = refused(load(name));
        assert!(text.contains(sentence) && text.contains(&place), "{text}");
    };
    says("", "holds no best.safetensors: name an agent's file or a folder that holds one");
    std::fs::write(folder.path().join("last.ckpt"), [agent_file::STATE, &b"\x01\0\0\0 and so on"[..]].concat())
        .unwrap();
    says("last.ckpt", "is the state of a run");
    let file = example().to_file().unwrap();
    file.save(&folder.path().join(LAST)).unwrap();
    says("", "holds no best.safetensors yet");
    says("", &format!("{} is its agent as it is", folder.path().join("").join(LAST).display()));
    let mut best = file.clone();
    best.rules = "obstacle_kinds = 2\n".into();
    best.save(&folder.path().join(BEST)).unwrap();
    assert_eq!(*load("").unwrap().file, best);
    assert_eq!((&*load(BEST).unwrap().file, &*load(LAST).unwrap().file), (&best, &file));
    assert_eq!(load(LAST).unwrap().name(), folder.path().join(LAST).display().to_string());
}

#[test]
fn an_agent_that_ships_is_loaded_by_its_name_and_an_unknown_name_is_answered_by_all_of_them() {
    let agent = Agent::load(Path::new("dqn-setups")).unwrap();
    assert_eq!((agent.name(), agent.game(), agent.file.kind), ("the agent dqn-setups", "match3", Kind::Network));
    assert_eq!(agent.file, shipped("dqn-setups").file);
    let names: Vec<&str> = registry::agents().map(|agent| agent.name).collect();
    assert!(names.len() > 5, "{names:?}");
    assert_eq!(
        refused(Agent::load(Path::new("dqn-simulate"))),
        format!(
            "dqn-simulate is not there: name an agent's file, a folder that holds one, a run in runs/, or an agent that \
             ships: {}",
            names.join(", ")
        )
    );
}

#[test]
fn the_agent_that_plays_where_none_is_named_is_the_first_of_its_game() {
    assert_eq!(Agent::default_of::<Match3>().unwrap().name(), "the agent dqn");
    assert_eq!(Agent::default_of::<Tetris>().unwrap().file.kind, Kind::Linear);
    let none = refused(Agent::default_of::<crate::toy::Toy>());
    assert!(none.starts_with("no agent of toy is inside the program: "), "{none}");
}

#[test]
fn a_file_of_the_former_format_is_refused_with_what_to_do() {
    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("old.safetensors");
    let bytes = example().to_file().unwrap().to_bytes().unwrap();
    let from = b"\"version\":\"2\"";
    let at = bytes.windows(from.len()).position(|bytes| bytes == from).unwrap();
    let former = [&bytes[..at], b"\"version\":\"1\"", &bytes[at + from.len()..]].concat();
    std::fs::write(&path, former).unwrap();
    assert_eq!(
        refused(Agent::load(&path)),
        format!(
            "{} was written by an earlier matchq (format 1; this program reads format 2): train the agent anew",
            path.display()
        )
    );
}

#[test]
fn an_agent_of_another_kind_or_game_is_refused_with_what_it_is() {
    let says = |name: &str, what: &str| format!("the agent {name} is an agent of the player {what}");
    let (network, value, linear) = (shipped("dqn"), shipped("match3-fitted"), shipped("tetris-shapes"));
    assert_eq!(refused(value.network::<Match3>()), says("match3-fitted", "'value', not of 'network'"));
    assert_eq!(refused(value.linear::<Match3>()), says("match3-fitted", "'value', not of 'linear'"));
    assert_eq!(refused(network.value::<Match3>()), says("dqn", "'network', not of 'value'"));
    assert_eq!(refused(network.linear::<Match3>()), says("dqn", "'network', not of 'linear'"));
    assert_eq!(refused(linear.network::<Tetris>()), says("tetris-shapes", "'linear', not of 'network'"));
    assert_eq!(refused(linear.value::<Tetris>()), says("tetris-shapes", "'linear', not of 'value'"));
    for error in [refused(network.rules::<Bilging>()), refused(network.network::<Bilging>())] {
        assert_eq!(error, "the agent dqn plays match3, not bilging");
    }
}

#[test]
fn the_player_of_an_agent_is_called_as_the_agent_and_only_a_network_has_a_precision() {
    let rules = Rules::default();
    let precision = Some(Precision::Bf16);
    assert_eq!(shipped("dqn").player::<Match3>(&rules, 8, precision, &Processor).unwrap().name(), "dqn");
    let value = shipped("match3-fitted");
    assert_eq!(value.player::<Match3>(&rules, 8, None, &Processor).unwrap().name(), "match3-fitted");
    assert_eq!(
        refused(value.player::<Match3>(&rules, 8, precision, &Processor)),
        "--precision bf16: the agent match3-fitted has no network: leave it out"
    );
    let linear = shipped("tetris-shapes");
    assert_eq!(linear.player::<Tetris>(&Default::default(), 8, None, &Processor).unwrap().name(), "tetris-shapes");
}

#[test]
fn the_rules_of_an_agent_are_those_of_its_training_and_unknown_ones_are_refused() {
    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("agent.safetensors");
    let mut file = example().to_file().unwrap();
    file.save(&path).unwrap();
    let rules: Rules = Agent::load(&path).unwrap().rules::<Match3>().unwrap();
    assert_eq!(rules, Rules::new(1).unwrap());
    file.rules = "gravity = 2\n".into();
    file.save(&path).unwrap();
    let text = refused(Agent::load(&path).unwrap().rules::<Match3>());
    let start = format!("{}: this program does not know the agent's rules: ", path.display());
    assert!(text.starts_with(&start) && text.contains("gravity"), "{text}");
}
