//! Players by their text.

use matchq::agents::{Agent, PLAYERS, listing, parse, with_policy};
use matchq::eval::play_series;
use matchq::games::match3::{Match3, Rules};
use matchq::network::{self, device};

use super::ALL;

#[test]
fn a_player_is_called_as_it_was_asked_for() {
    for text in ALL {
        assert_eq!(parse(text, &Rules::default()).unwrap().name(), text);
    }
}

#[test]
fn a_checkpoint_in_a_players_text_may_be_called_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a:b=c:sims=3.safetensors");
    std::fs::copy(format!("{}/checkpoints/dqn/best.safetensors", env!("CARGO_MANIFEST_DIR")), &path).unwrap();
    for text in ["network", "network+search:sims=30:depth=0"] {
        let text = format!("{text}:checkpoint={}", path.display());
        assert_eq!(parse(&text, &Rules::default()).unwrap().name(), text);
    }
}

#[test]
fn a_player_of_a_policy_that_is_loaded_is_that_of_its_checkpoint() {
    let rules = Rules::default();
    let (_, device) = device::select(None).unwrap();
    let policy = network::Model::load::<Match3>(None, &device).unwrap();
    for text in ALL {
        let series =
            |mut player: Box<dyn Agent<Match3> + Send>| play_series(&mut *player, &rules, 3, 1, |_| ()).unwrap();
        let player = with_policy(text, &rules, &policy, &device).unwrap();
        assert_eq!(player.name(), text);
        assert_eq!(series(player), series(parse(text, &rules).unwrap()), "{text}");
    }
    let error = with_policy("network:checkpoint=a", &rules, &policy, &device).err().unwrap();
    assert_eq!(error.to_string(), "'network:checkpoint=a' names a checkpoint, but there is one already");
}

#[test]
fn every_default_is_one_that_can_be_given() {
    for entry in PLAYERS {
        let mut text = entry.name.to_string();
        for parameter in entry.parameters {
            text += &parameter.default.map_or(String::new(), |default| format!(":{}={default}", parameter.key));
            assert!(listing().contains(parameter.about));
        }
        assert!(parse(&text, &Rules::default()).is_ok(), "{text}");
        assert!(listing().contains(entry.about));
    }
}

#[test]
fn a_text_that_is_no_player_gets_a_sentence_that_lists_what_exists() {
    let missing = std::fs::read("none.safetensors").unwrap_err();
    let players =
        "the players are network, network+search, random, matching, greedy, ranked, cascade, plan, expected, rollout";
    for (text, sentence) in [
        ("alphazero", format!("there is no player 'alphazero': {players}")),
        ("", format!("there is no player '': {players}")),
        ("plan:deep=2", "'plan' has no parameter 'deep': its parameters are depth, weight, breadth".into()),
        ("greedy:depth=2", "'greedy' has no parameter 'depth': 'greedy' has no parameters".into()),
        ("plan:depth", "'depth' in 'plan:depth' must be key=value: its parameters are depth, weight, breadth".into()),
        ("plan:depth=2:depth=3", "'depth' is given twice in 'plan:depth=2:depth=3': once is enough".into()),
        ("plan:depth=0", "depth=0 in 'plan:depth=0': depth must be a whole number from 1 to 6".into()),
        ("plan:weight=NaN", "weight=NaN in 'plan:weight=NaN': weight must be a number from 0 to 1".into()),
        ("plan:weight=", "weight= in 'plan:weight=': weight must be a number from 0 to 1".into()),
        (
            "expected:samples=0",
            "samples=0 in 'expected:samples=0': samples must be a whole number from 1 to 1000000".into(),
        ),
        ("rollout:sims=0", "sims=0 in 'rollout:sims=0': sims must be a whole number from 1 to 10000000".into()),
        ("rollout:ms=0", "ms=0 in 'rollout:ms=0': ms must be a whole number of milliseconds from 1 to 3600000".into()),
        ("rollout:sims=5:ms=5", "'rollout:sims=5:ms=5' has both sims and ms: a search has one budget".into()),
        (
            "network+search:candidates=0",
            "candidates=0 in 'network+search:candidates=0': candidates must be a whole number from 1 to 142".into(),
        ),
        (
            "network+search:weight=nan",
            "weight=nan in 'network+search:weight=nan': weight must be a number from 0 to 10".into(),
        ),
        ("network:checkpoint=none.safetensors", format!("none.safetensors cannot be read: {missing}")),
        ("network+search:checkpoint=none.safetensors", format!("none.safetensors cannot be read: {missing}")),
        (r"network:checkpoint=C:\x", format!(r"C:\x cannot be read: {missing}")),
        ("network:checkpoint=a:b:checkpoint=c", format!("a:b:checkpoint=c cannot be read: {missing}")),
        (
            "network+search:depth=2:checkpoint=a:sims=5",
            format!("a:sims=5 cannot be read: {missing}; sims must come before checkpoint, the last"),
        ),
        ("greedy:checkpoint=a:b", "'greedy' has no parameter 'checkpoint': 'greedy' has no parameters".into()),
        ("rollout:breadth=3", "breadth=3 in 'rollout:breadth=3': breadth must be 0 where guide is not plan".into()),
        ("rollout:plans=1", "plans=1 in 'rollout:plans=1': plans must be left out where guide is not plan".into()),
        ("rollout:setups=2", "setups=2 in 'rollout:setups=2': setups must be a whole number from 0 to 1".into()),
        ("network:setups=yes", "setups=yes in 'network:setups=yes': setups must be a whole number from 0 to 1".into()),
        ("rollout:guide=me", "guide=me in 'rollout:guide=me': guide must be cascade or plan".into()),
    ] {
        let error = parse(text, &Rules::default()).err().unwrap();
        assert_eq!((error.exit_code(), error.to_string()), (2, sentence));
    }
}
