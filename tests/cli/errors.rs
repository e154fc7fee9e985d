//! Errors name the mistake and the remedy, and lose nothing.

use super::*;

#[cfg(unix)]
#[test]
fn a_folder_of_runs_that_cannot_be_made_is_the_users_to_choose_otherwise() {
    let output = Place::new().run(&["train", "--config", "tiny.toml", "--runs", "/dev/null/runs"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: /dev/null/runs cannot be made: ") && error.contains("--runs"), "{error}");
}

#[test]
fn a_training_that_its_learner_refuses_leaves_no_folder() {
    let place = Place::new();
    fs::write(place.path("fitted.toml"), "learner = 'fitted'\ngame = { name = 'bilging' }\n").unwrap();
    let output = place.run(&["train", "--config", "fitted.toml", "--set", "sampling.positions=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: sampling.positions = 3: it must be at least 7, one more than bilging has features\n"
    );
    assert!(!place.path("runs").exists());
}

#[test]
fn what_is_wrong_is_said_with_the_file_the_key_or_the_flag_and_leaves_nothing_behind() {
    let (place, nowhere) = (Place::new(), own("runs/nowhere"));
    for (name, text) in [
        ("unknown.toml", "[learning]\nbacth = 3\n"),
        ("type.toml", "[learning]\nbatch = \"many\"\n"),
        ("range.toml", "[learning]\ndiscount = 1.5\n"),
        ("broken.toml", "[learning\n"),
    ] {
        fs::write(place.path(name), text).unwrap();
    }
    fs::write(place.path("board.txt"), "RWYBPOGR\n".repeat(8)).unwrap();
    fs::copy("tests/pictures/game.png", place.path("game.png")).unwrap();
    let before = snapshot(place.0.path());
    let set = |text| vec!["train", "--config", "tiny.toml", "--set", text];
    let train = |file| vec!["train", "--config", file];
    let eval = |flags: &[&'static str]| [&["eval", "--checkpoint", "tiny.toml"], flags].concat();
    // The games would take a whole day, so the error comes before any of them.
    let compare = |plot| vec!["compare", "--players", "rollout", "--games", "100000000", "--plot", plot];
    let mut cases = vec![
        (train("unknown.toml"), vec!["unknown.toml", "learning", "bacth"]),
        (train("type.toml"), vec!["type.toml: learning.batch:", "many"]),
        (train("range.toml"), vec!["range.toml: learning.discount = 1.5", "between 0 and 1"]),
        (train("broken.toml"), vec!["broken.toml is not valid TOML"]),
        (
            train("missing.toml"),
            vec!["missing.toml is no file: name one, or a configuration of the program: bejeweled-dqn, "],
        ),
        (set("learning.batch"), vec!["--set learning.batch", "key=value"]),
        (set("learning.bacth=3"), vec!["--set", "learning", "bacth"]),
        (set("learning.batch=many"), vec!["--set: learning.batch:", "many"]),
        (set("learning.batch=0"), vec!["--set: learning.batch = 0", "between 1 and 65536"]),
        (set("seed.of=1"), vec!["--set seed.of", "'seed' is a value, not a section"]),
        (set("training.updates.most=1"), vec!["--set: training.updates: "]),
        (set("learning={bacth=1}"), vec!["--set: learning", "bacth"]),
        (set("evaluation.seed=0"), vec!["evaluation.seed = 0", "1000000 or above"]),
        (vec!["train"], vec!["--config"]),
        (vec!["train", "--config", "tiny.toml", "--name", "a/b"], vec!["--name a/b"]),
        (vec!["train", "--config", "tiny.toml", "--device", "abacus"], vec!["--device abacus", "flex"]),
        (vec!["train", "--config", "tiny.toml", "--threads", "0"], vec!["--threads"]),
        (vec!["train", "--resume", "nowhere"], vec!["--resume nowhere", &nowhere, "last.ckpt"]),
        (vec!["train", "--resume", "x", "--config", "tiny.toml"], vec!["--resume", "--config"]),
        (set("game.obstacle_kinds=1"), vec!["--set: game.obstacle_kinds: ", "unknown field", "rules"]),
        (set("learner=sarsa"), vec!["--set: learner: ", "\"sarsa\"", "dqn"]),
        (set("game.name=chess"), vec!["--set: game.name: ", "there is no game 'chess'", "match3"]),
        (
            vec!["eval", "--checkpoint", "nowhere.safetensors"],
            vec!["nowhere.safetensors is not there", "or an agent that ships: dqn, "],
        ),
        (vec!["eval", "--checkpoint", "."], vec!["holds no best.safetensors"]),
        (eval(&[]), vec!["tiny.toml is not an agent of matchq"]),
        (eval(&["--games", "0"]), vec!["--games", "0"]),
        (eval(&["--batch", "0"]), vec!["--batch", "0"]),
        (eval(&["--plot", "scores.png"]), vec!["--plot", "scores.png", "must end in .svg"]),
        (vec!["eval", "--rule", "obstacle_kinds=300"], vec!["--rule obstacle_kinds=300", "0 to 252"]),
        (vec!["compare", "--games", "2"], vec!["--players"]),
        (compare("players.pdf"), vec!["--plot", "players.pdf", "must end in .svg"]),
        (compare("nowhere/players.svg"), vec!["--plot nowhere/players.svg", "the folder nowhere does not exist"]),
        (vec!["compare", "--from", "x.json", "--games", "5"], vec!["--from", "--games"]),
        (vec!["compare", "--players", "greedy", "--luck", "0"], vec!["--luck"]),
        (vec!["replay", "--seed", "1", "nowhere.jsonl"], vec!["nowhere.jsonl cannot be read"]),
        (vec!["replay", "--seed", "1", "."], vec![". cannot be read: is a directory"]),
        (set("learning.batch=8\nseed=3"), vec!["--set learning.batch=8", "is no value of TOML"]),
        (set("learning.loss=[]"), vec!["--set: learning.loss: ", "expected a name in quotes"]),
        (set("learning.learning_rate=inf"), vec!["learning.learning_rate = inf", "that 32 bits can hold"]),
        (vec!["train", "--config", "tiny.toml", "--name", "a\nb"], vec!["--name a\\nb: it must be a plain name"]),
        (eval(&["--json", "same.svg", "--plot", "./same.svg"]), vec!["--plot ./same.svg: ", "--json names too"]),
        (
            vec!["compare", "--players", "greedy", "--json", "a.svg", "--plot", "a.svg"],
            vec!["--plot a.svg: ", "--json"],
        ),
        (vec!["endure", "--players", "greedy"], vec!["a game of match3 has 25 moves: `matchq eval` plays it"]),
        (
            vec!["endure", "--game", "tetris", "--players", "greedy,greedy"],
            vec!["--players: greedy is named twice: give one a label"],
        ),
        (vec!["advise", "--game", "bejeweled", "--moves-left", "3", "board.txt"], vec!["--moves-left 3: bejeweled"]),
        (
            vec!["read", "game.png", "--overlay", "./game.png"],
            vec!["--overlay ./game.png: ", "the picture that is read"],
        ),
        (vec!["read", "game.png", "--overlay", "out.jpg"], vec!["--overlay out.jpg: it must end in .png"]),
    ];
    if !cfg!(feature = "wgpu") {
        cases.push((vec!["eval", "--device", "wgpu"], vec!["--device wgpu", "--features wgpu"]));
        cases.push((
            vec!["train", "--config", "tiny.toml", "--device", "wgpu"],
            vec!["--device wgpu: not compiled in", "--features wgpu"],
        ));
    }
    for (arguments, parts) in cases {
        let output = place.run(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.starts_with("error: "), "{arguments:?}: {told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{arguments:?} must name {parts:?}: {told}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(snapshot(place.0.path()), before, "{arguments:?}");
        assert!(fs::read_dir(place.path("runs")).into_iter().flatten().next().is_none(), "{arguments:?}");
    }
}

#[test]
fn a_run_is_never_overwritten_and_a_damaged_one_never_touched() {
    let place = Place::new();
    place.train_short("run");
    let mut before = snapshot(&place.path("runs"));
    let output = place.run(&["train", "--config", "tiny.toml", "--name", "run"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("--name run: ") && told.contains("--resume"), "{told}");
    assert_eq!(snapshot(&place.path("runs")), before);

    for file in ["last.ckpt", "best.safetensors"] {
        let path = place.path("runs/run").join(file);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 100]).unwrap();
        before.insert(path, whole[..whole.len() - 100].to_vec());
    }
    let resume = ["train", "--resume", "runs/run"];
    for (arguments, file) in [(resume, "last.ckpt"), (["eval", "--checkpoint", "runs/run"], "best.safetensors")] {
        let output = place.run(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("{file} is truncated or damaged")), "{told}");
        assert_eq!(snapshot(&place.path("runs")), before);
    }
}

#[test]
fn a_run_whose_configuration_was_changed_is_not_resumed() {
    let place = Place::new();
    place.train_short("run");
    let config = place.path("runs/run/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let changed = text.replace("symmetry = true", "symmetry = false");
    assert_ne!(changed, text);
    fs::write(&config, changed).unwrap();
    let before = snapshot(&place.path("runs"));
    let output = place.run(&["train", "--resume", "runs/run"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("config.toml: learning.symmetry is not what this run was trained with"), "{told}");
    assert_eq!(snapshot(&place.path("runs")), before);
}

#[test]
fn a_device_that_the_environment_names_wrongly_is_refused_by_the_variables_name() {
    let output = Place::new().command(&["eval", "--games", "1"]).env("MATCHQ_DEVICE", "abacus").output().unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{sentence}");
    assert!(sentence.contains("MATCHQ_DEVICE=abacus") && sentence.contains("flex"), "{sentence}");
}

#[test]
fn a_player_without_a_network_needs_no_device() {
    let player = |name| {
        let arguments = ["compare", "--players", name, "--games", "1"];
        Place::new().command(&arguments).env("MATCHQ_DEVICE", "abacus").output().unwrap()
    };
    assert_well(&player("greedy"));
    assert_eq!(player("network").status.code(), Some(2));
}
