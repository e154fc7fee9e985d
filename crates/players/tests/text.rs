//! Players by their text.

use matchq_players::eval::play_series;
use matchq_players::games::match3::{Match3, Rules};
use matchq_players::games::{SameGame, Tetris};
use matchq_players::{
    Agent, AgentFile, BoxedPlayer, Roster as _, Setting, agent_in, listing, parse, parse_with, players, registry,
};

use super::ALL;

fn name(text: &str) -> String {
    parse::<Match3>(text, &Rules::default()).unwrap().name().to_owned()
}

#[test]
fn a_player_is_called_as_it_was_asked_for_and_one_of_a_network_by_its_agent() {
    for text in ALL {
        let agent = match text.strip_prefix("network") {
            Some(rest) if rest.starts_with("+search") => format!("dqn-setups{rest}"),
            Some(rest) => format!("dqn{rest}"),
            None => text.to_owned(),
        };
        assert_eq!(name(text), agent);
        // The name is a text of the same player.
        assert_eq!(name(&agent), agent);
    }
    assert_eq!((&*name("value"), &*name("network:label=x")), ("match3-fitted", "x"));
    assert_eq!(name("network:checkpoint=dqn-plain"), "network:checkpoint=dqn-plain");
}

#[test]
fn an_agents_name_or_path_is_the_text_of_its_player_with_parameters_in_any_order() {
    let rules = Rules::default();
    let play = |text: &str| play_series(&mut *parse::<Match3>(text, &rules).unwrap(), &rules, 3, 1, |_| ()).unwrap();
    let path = format!("{}/../../checkpoints/dqn-plain", env!("CARGO_MANIFEST_DIR"));
    let expected = play("network:checkpoint=dqn-plain");
    assert_ne!(expected, play("network"));
    for text in [
        "dqn-plain".to_owned(),
        "dqn-plain:label=mine:precision=f32".to_owned(),
        "network:checkpoint=dqn-plain:label=mine".to_owned(),
        path.clone(),
        format!("{path}:label=mine"),
        format!("{path}/best.safetensors:precision=f32"),
        format!("\"{path}\":precision=f32"),
    ] {
        assert_eq!(play(&text), expected, "{text}");
    }
    assert_eq!(play("dqn-setups+search:sims=30"), play("best:sims=30"));
    assert_eq!(play("match3-fitted:outcomes=2"), play("value:outcomes=2"));
    let error = parse::<Match3>("match3-fitted+search", &rules).err().unwrap().to_string();
    assert_eq!(error, "'match3-fitted+search': the agent's kind is value, but only a network searches");
    let error = parse::<Match3>("bilging-dqn", &rules).err().unwrap().to_string();
    assert_eq!(error, "the agent bilging-dqn plays bilging, not match3");
    let error = parse::<Match3>("dqn:checkpoint=dqn-plain", &rules).err().unwrap().to_string();
    assert_eq!(error, "'dqn:checkpoint=dqn-plain' names an agent, but there is one already");
}

#[test]
fn the_agent_of_a_text_is_its_checkpoint_or_what_it_begins_with() {
    for (text, agent) in [
        ("dqn", Some("dqn")),
        ("runs/mine:label=x", Some("runs/mine")),
        ("mine+search:ms=5", Some("mine")),
        ("network:checkpoint=a:b:label=x", Some("a:b")),
        (r"network:precision=f32:checkpoint=C:\x", Some(r"C:\x")),
        ("\"a:b=c\":label=x", Some("a:b=c")),
        ("mine:label=a:b", Some("mine")),
        ("network:checkpoint=\"a:b=c\":label=x", Some("a:b=c")),
        ("greedy", None),
        ("rollout:ms=5", None),
        ("planner", None),
    ] {
        assert_eq!(agent_in(text).map(|path| path.to_str().unwrap()), agent, "{text}");
    }
}

#[test]
fn a_label_is_what_a_player_is_called_whatever_else_its_text_says() {
    let rules = Rules::default();
    assert_eq!(parse::<Match3>("plan:depth=3:label=three", &rules).unwrap().name(), "three");
    assert_eq!(parse::<Match3>("greedy:label=at once", &rules).unwrap().name(), "at once");
}

#[test]
fn a_checkpoint_in_a_players_text_may_be_called_anything() {
    let folder = temp_dir::TempDir::new().unwrap();
    // A file of Windows has no colon in its name, but its path has one.
    let path = folder.path().join(if cfg!(windows) { "a,b=c.safetensors" } else { "a:b=c:sims=3.safetensors" });
    std::fs::copy(format!("{}/../../checkpoints/dqn/best.safetensors", env!("CARGO_MANIFEST_DIR")), &path).unwrap();
    for text in ["network", "network+search:sims=30"] {
        let text = format!("{text}:checkpoint=\"{}\"", path.display());
        assert_eq!(parse::<Match3>(&text, &Rules::default()).unwrap().name(), text);
    }
}

#[test]
fn weights_that_do_not_fit_are_refused_by_the_name_of_their_file() {
    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("small.safetensors");
    let mut file = AgentFile::clone(&Agent::default_of::<Match3>().unwrap().file);
    file.tensors.pop_last();
    file.save(&path).unwrap();
    for player in ["network", "network+search"] {
        let text = format!("{player}:checkpoint={}", path.display());
        let error = parse::<Match3>(&text, &Rules::default()).err().unwrap().to_string();
        let begin = format!("{}: the weights do not fit the network of the configuration", path.display());
        assert!(error.starts_with(&begin), "{error}");
    }
}

#[test]
fn a_player_of_an_agent_that_is_loaded_is_that_of_its_checkpoint() {
    let rules = Rules::default();
    let agent = Agent::default_of::<Match3>().unwrap();
    let searching = Agent::shipped(registry::shipped("dqn-setups").unwrap()).unwrap();
    for text in ALL {
        let agent = if text.contains("search") || text.contains("best") { &searching } else { &agent };
        let series = |mut player: BoxedPlayer<Match3>| play_series(&mut *player, &rules, 3, 1, |_| ()).unwrap();
        let player = parse_with::<Match3>(text, &rules, &Setting { agent: Some(agent), ..Setting::default() }).unwrap();
        assert_eq!(player.name(), text);
        assert_eq!(series(player), series(parse::<Match3>(text, &rules).unwrap()), "{text}");
    }
    let setting = Setting { agent: Some(&agent), ..Setting::default() };
    let error = parse_with::<Match3>("network:checkpoint=a", &rules, &setting).err().unwrap();
    assert_eq!(error.to_string(), "'network:checkpoint=a' names an agent, but there is one already");
}

#[test]
fn every_default_is_one_that_can_be_given() {
    // Match-3 has no named linear weights.
    for entry in players::<Match3>().iter().filter(|entry| entry.name != "linear") {
        let mut text = entry.name.to_string();
        for parameter in entry.parameters {
            let other = entry.parameters.iter().any(|other| other.key == "ms" && other.default.is_some());
            let default = parameter.default.filter(|_| parameter.key != "sims" || !other);
            text += &default.map_or(String::new(), |default| format!(":{}={default}", parameter.key));
            assert!(listing::<Match3>(Some(entry.name)).unwrap().contains(parameter.about));
        }
        assert!(parse::<Match3>(&text, &Rules::default()).is_ok(), "{text}");
        assert!(listing::<Match3>(Some(&text)).unwrap().contains(entry.about));
    }
}

#[test]
fn a_games_list_has_a_short_line_for_each_player_the_best_and_what_has_a_name_first() {
    let (match3, tetris, bilging) = (
        listing::<Match3>(None).unwrap(),
        listing::<Tetris>(None).unwrap(),
        listing::<matchq_players::games::Bilging>(None).unwrap(),
    );
    for list in [&match3, &tetris, &bilging] {
        assert!(list.lines().all(|line| line.chars().count() <= 130), "{list}");
    }
    let names = |list: &str| -> Vec<String> {
        let lines = list.lines().filter(|line| line.starts_with("  "));
        lines.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    let (match3, tetris) = (names(&match3), names(&tetris));
    assert_eq!(match3[..3], ["best:ms=10", "dqn", "dqn-plain"]);
    assert!(["NAME+search", "plan", "rollout"].iter().all(|name| match3.contains(&(*name).to_owned())), "{match3:?}");
    assert_eq!(tetris[..2], ["best:ms=10", "tetris-shapes-20"]);
    assert!(tetris.contains(&"linear:weights=dt-10".to_owned()), "{tetris:?}");
    // In Tetris no next move is seen to gain, no network is inside, and agents stand for their kinds.
    assert!(["plan", "NAME+search", "linear"].iter().all(|name| !tetris.contains(&(*name).to_owned())), "{tetris:?}");
}

#[test]
fn the_list_of_parameters_says_which_players_need_a_checkpoint_and_no_weights_where_none_has_a_name() {
    let (match3, tetris) =
        (|name| listing::<Match3>(Some(name)).unwrap(), |name| listing::<Tetris>(Some(name)).unwrap());
    for (list, end) in [
        (match3("network"), "without it an agent inside the program"),
        (match3("linear"), "needed, as none is inside the program"),
        (tetris("value"), "needed, as none is inside the program"),
        (tetris("linear"), "without it an agent inside the program"),
    ] {
        assert!(list.contains(&format!("{end}\n")), "{end}: {list}");
    }
    let samegame = |name| listing::<SameGame>(Some(name)).unwrap();
    for name in ["beam", "anneal"] {
        let end = "without it one inside the program, or the game's forecast\n";
        assert!(samegame(name).contains(end), "{}", samegame(name));
    }
    assert!(tetris("linear").contains(":weights") && !match3("linear").contains(":weights"));
    assert_eq!(match3("match3-fitted"), match3("value"));
    let error = listing::<Match3>(Some("nobody")).unwrap_err().to_string();
    assert!(error.starts_with("there is no player or agent 'nobody' of match3: the players are best, "), "{error}");
}

#[test]
fn an_agent_that_an_annealing_is_given_values_its_beam_or_is_refused() {
    let parsed =
        |text: &str| parse::<SameGame>(text, &Default::default()).map(|_| ()).map_err(|error| error.to_string());
    // Also where there would be no beam.
    for text in [
        "anneal:ms=10:checkpoint=samegame-cma",
        "anneal:first=3:checkpoint=samegame-cma",
        "beam:checkpoint=samegame-cma",
    ] {
        assert_eq!(parsed(text), Ok(()), "{text}");
    }
    assert!(parsed("anneal:first=0:checkpoint=samegame-cma").unwrap_err().contains("has an agent, but no beam"));
    assert!(parsed("anneal:ms=10:checkpoint=match3-fitted").unwrap_err().contains("match3"));
    assert!(parsed("anneal:ms=10:checkpoint=/nowhere").is_err());
}

#[test]
fn a_text_that_is_no_player_gets_a_sentence_that_lists_what_exists() {
    let names: Vec<&str> = registry::agents().map(|agent| agent.name).collect();
    let missing = format!(
        "is not there: name an agent's file, a folder that holds one, a run in runs/, or an agent that ships: {}",
        names.join(", ")
    );
    let names: Vec<&str> = players::<Match3>().iter().map(|entry| entry.name).collect();
    let agents: Vec<&str> = Match3::AGENTS.iter().map(|agent| agent.name).collect();
    let players = format!(
        "the players are {}; agents that ship are {}; an agent may also be a run in runs/, or a path",
        names.join(", "),
        agents.join(", ")
    );
    let network = "its parameters are output, plan, precision, checkpoint, label";
    for (text, sentence) in [
        ("alphazero", format!("there is no player or agent 'alphazero' of match3: {players}")),
        ("", format!("there is no player or agent '' of match3: {players}")),
        ("runs/none:label=x", format!("runs/none {missing}")),
        ("plan:deep=2", "'plan' has no parameter 'deep': its parameters are depth, weight, breadth, label".into()),
        ("greedy:depth=2", "'greedy' has no parameter 'depth': 'greedy' has no parameter but label".into()),
        (
            "plan:depth",
            "'depth' in 'plan:depth' must be key=value: its parameters are depth, weight, breadth, label".into(),
        ),
        ("plan:depth=2:depth=3", "'depth' is given twice in 'plan:depth=2:depth=3': once is enough".into()),
        ("plan:depth=0", "depth=0 in 'plan:depth=0': depth must be a whole number from 1 to 6".into()),
        (
            "plan:label=x:Depth=6",
            "'plan' has no parameter 'Depth': its parameters are depth, weight, breadth, label".into(),
        ),
        (
            "plan:label=x:depth",
            "'depth' in 'plan:label=x:depth' must be key=value: its parameters are depth, weight, breadth, label"
                .into(),
        ),
        (
            "dqn:precision",
            "'precision' in 'dqn:precision' must be key=value: its parameters are output, plan, precision, checkpoint, label"
                .into(),
        ),
        ("plan:weight=NaN", "weight=NaN in 'plan:weight=NaN': weight must be a number from 0 to 1".into()),
        ("plan:weight=", "weight= in 'plan:weight=': weight must be a number from 0 to 1".into()),
        ("rollout:sims=0", "sims=0 in 'rollout:sims=0': sims must be a whole number from 1 to 10000000".into()),
        ("rollout:ms=0", "ms=0 in 'rollout:ms=0': ms must be a whole number of milliseconds from 1 to 3600000".into()),
        ("rollout:sims=5:ms=5", "'rollout:sims=5:ms=5' has both sims and ms: a search has one budget".into()),
        (
            "network+search:candidates=0",
            "candidates=0 in 'network+search:candidates=0': candidates must be a whole number from 1 to 142".into(),
        ),
        ("network:checkpoint=none.safetensors", format!("none.safetensors {missing}")),
        ("network+search:checkpoint=none.safetensors", format!("none.safetensors {missing}")),
        (r"network:checkpoint=C:\x", format!(r"C:\x {missing}")),
        ("network:checkpoint=a:b", format!("a:b {missing}")),
        (
            "network:checkpoint=a:b:checkpoint=c",
            "'checkpoint' is given twice in 'network:checkpoint=a:b:checkpoint=c': once is enough".into(),
        ),
        (
            "network:checkpoint=a:told=1",
            format!("'network' has no parameter 'told': {network}; a path with colons stands in double quotes"),
        ),
        ("greedy:checkpoint=a:b", "'greedy' has no parameter 'checkpoint': 'greedy' has no parameter but label".into()),
        ("rollout:breadth=3", "breadth=3 in 'rollout:breadth=3': breadth must be 0 where guide is not plan".into()),
        ("rollout:plans=1", "plans=1 in 'rollout:plans=1': plans must be left out where guide is not plan".into()),
        ("rollout:mask=all", "'all' is no mask of match3: its masks are legal, effective, matching, setups".into()),
        ("network:told=1", format!("'network' has no parameter 'told': {network}")),
        ("network:precision=16", "precision=16 in 'network:precision=16': precision must be f32 or bf16".into()),
        (
            "network:plan=0.5:checkpoint=dqn-plain",
            "plan=0.5 in 'network:plan=0.5:checkpoint=dqn-plain': plan must be 0 where the network does not predict the boards \
             of chains"
                .into(),
        ),
        ("plan:label=", "'plan:label=': label must be a short name, such as label=mine".into()),
        (
            "rollout:guide=me",
            "guide=me in 'rollout:guide=me': guide must be one of cascade, plan, greedy, setup, value".into(),
        ),
    ] {
        let error = parse::<Match3>(text, &Rules::default()).err().unwrap();
        assert_eq!((error.exit_code(), error.to_string()), (2, sentence));
    }
}

#[test]
fn an_agent_of_another_player_is_refused_with_the_player_that_it_is_of() {
    let told = |error: Option<matchq_players::error::Error>| error.unwrap().to_string();
    let folder = |name: &str| format!("{}/../../checkpoints/{name}", env!("CARGO_MANIFEST_DIR"));
    let of_match3 = |player: &str, agent: &str| {
        let text = format!("{player}:checkpoint={}", folder(agent));
        told(parse::<Match3>(&text, &Rules::default()).err())
    };
    assert!(of_match3("linear", "match3-fitted").ends_with("is an agent of the player 'value', not of 'linear'"));
    assert!(of_match3("value", "dqn").ends_with("is an agent of the player 'network', not of 'value'"));
    assert!(of_match3("network", "match3-fitted").ends_with("is an agent of the player 'value', not of 'network'"));
    let shapes = format!("value:checkpoint={}", folder("tetris-shapes"));
    let shapes = told(parse::<Tetris>(&shapes, &Default::default()).err());
    assert!(shapes.ends_with("is an agent of the player 'linear', not of 'value'"), "{shapes}");
}
