use super::*;
use crate::learners::dqn::learning::Loss;

fn parse(text: &str, overrides: &[&str]) -> Result<TrainConfig> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    TrainConfig::parse(text, "file.toml", &overrides)
}

fn sentence(text: &str, overrides: &[&str]) -> String {
    match parse(text, overrides) {
        Err(Error::User(sentence)) => sentence,
        other => panic!("{text} {overrides:?}: {other:?}"),
    }
}

#[test]
fn nothing_said_is_the_default_and_what_is_resolved_reads_back_the_same() {
    assert_eq!(parse("", &[]), Ok(TrainConfig::default()));
    let config = parse("seed = 7\n[learning]\nloss = \"squared\"\n", &["game.mask=legal"]).unwrap();
    assert_eq!((config.seed, config.learning.loss, config.game.mask), (7, Loss::Squared, MaskKind::Legal));
    assert_eq!(parse(&config.to_toml().unwrap(), &[]), Ok(config));
}

#[test]
fn the_configurations_that_ship_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty());
    for path in paths {
        TrainConfig::load(&path, &[]).unwrap();
    }
}

#[test]
fn an_unknown_key_and_a_wrong_type_are_named_with_their_file() {
    for (text, parts) in [
        ("sead = 1", ["file.toml: sead", "unknown field"]),
        ("[learner]\nbatch = 1", ["file.toml: learner", "unknown field"]),
        ("[replay]\nprioritized = true", ["file.toml: replay.prioritized", "unknown field"]),
        ("[replay]\nprioritised = 1", ["file.toml: replay.prioritised", "expected true or false"]),
        ("[training]\nsteps = 1.5", ["file.toml: training.steps", "expected a whole number"]),
        ("[training]\nsteps = -1", ["file.toml: training.steps", "-1"]),
        ("[learning]\nloss = \"cubic\"", ["file.toml: learning.loss", "expected `huber` or `squared`"]),
        ("learning = 3", ["file.toml: learning", "expected the section Learning"]),
    ] {
        let sentence = sentence(text, &[]);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }
    assert!(sentence("seed = ", &[]).starts_with("file.toml is not valid TOML: "));
}

#[test]
fn overrides_take_numbers_truths_and_bare_words_and_the_last_one_wins() {
    let overrides = [
        "learning.batch=32",
        " learning.double = false ",
        "learning.loss=squared",
        "learning.schedule=\"cosine\"",
        "learning.batch=64",
    ];
    let learning = parse("[learning]\nbatch = 8\nn_step = 3\n", &overrides).unwrap().learning;
    let expected = Learning {
        batch: 64,
        n_step: 3,
        double: false,
        loss: Loss::Squared,
        schedule: crate::learners::dqn::learning::Schedule::Cosine,
        ..Learning::default()
    };
    assert_eq!(learning, expected);
}

#[test]
fn an_override_that_is_wrong_is_blamed_on_the_flag_and_not_on_the_file() {
    for (set, parts) in [
        ("learning.batch", ["--set learning.batch: ", "key=value"]),
        ("learning.batch.most=1", ["--set: learning.batch: ", "expected a whole number"]),
        ("learning={bacth=1}", ["--set: learning.bacth: ", "unknown field"]),
        ("learning.bacth=1", ["--set: learning.bacth: ", "unknown field"]),
        ("learning.batch=0", ["--set: learning.batch = 0: ", "between 1 and 65536"]),
    ] {
        let sentence = sentence("", &[set]);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }
    let file = sentence("[learning]\nbatch = 0\n", &["learning.n_step=2"]);
    assert!(file.starts_with("file.toml: learning.batch = 0: "), "{file}");
    let value = sentence("[learning]\nbatch = 8\n", &["learning.batch.most=1"]);
    assert_eq!(value, "--set learning.batch.most: 'batch' is a value, not a section");
}

#[test]
fn switches_that_need_another_one_are_refused_without_it() {
    for (sets, wrong) in [
        (vec!["learning.simulations=4", "learning.lookahead=3", "learning.actions=256"], None),
        (vec!["learning.simulations=4", "learning.actions=6", "learning.best_actions=6"], None),
        (vec!["learning.simulations=4", "learning.common_error=0"], None),
        (vec!["learning.simulations=4", "learning.common_error=1.1"], Some("it must be between 0 and 1")),
        (vec!["learning.simulations=4", "learning.common_error=nan"], Some("it must be between 0 and 1")),
        (vec!["network.prior=plan", "learning.candidates=256", "network.afterstates=true"], None),
        (vec!["learning.actions=4"], Some("learning.actions = 4: it must be 0 where learning.simulations is 0")),
        (
            vec!["learning.simulations=4", "learning.actions=6", "learning.best_actions=7"],
            Some("learning.best_actions = 7: it must be between 0 and learning.actions, which is 6"),
        ),
        (
            vec!["learning.common_error=0.5"],
            Some("learning.common_error = 0.5: it must be 1 where learning.simulations is 0"),
        ),
        (vec!["network.waves=8", "learning.candidates=3", "network.afterstates=true"], None),
        (vec!["network.next_moves=256", "network.prior=chain", "network.afterstates=true"], None),
        (
            vec!["network.next_moves=3", "network.prior=plan"],
            Some("network.next_moves = 3: it must be 0 where network.afterstates is false"),
        ),
        (vec!["network.next_moves=3", "network.waves=8", "network.afterstates=true"], Some("network.next_moves = 3")),
        (vec!["network.waves=8"], Some("network.waves = 8: it must be 0 but with network.afterstates")),
        (vec!["network.waves=8", "network.afterstates=true", "network.prior=chain"], Some("network.waves = 8")),
        (vec!["learning.candidates=3"], Some("learning.candidates = 3: it must be 0 where network.afterstates is")),
        (
            vec!["network.dueling=true", "network.afterstates=true"],
            Some("network.dueling = true: it must be false where network.afterstates is true"),
        ),
    ] {
        match wrong {
            None => assert!(parse("", &sets).is_ok(), "{sets:?}"),
            Some(part) => {
                let sentence = sentence("", &sets);
                assert!(sentence.starts_with("--set: ") && sentence.contains(part), "{sentence}");
            }
        }
    }
}

#[test]
fn the_ends_of_every_range_are_allowed_and_what_lies_beyond_is_not() {
    for (key, allowed, refused) in [
        ("seed", vec!["0", "9223372036854775807"], vec!["-1"]),
        ("game.name", vec!["match3"], vec!["chess"]),
        ("network.channels", vec!["1", "1024"], vec!["0", "1025"]),
        ("network.layers", vec!["2", "64"], vec!["1", "65"]),
        ("network.waves", vec!["0"], vec!["1", "65"]),
        ("network.wave_layers", vec!["2", "64"], vec!["1", "65"]),
        ("network.next_moves", vec!["0"], vec!["1", "257"]),
        ("training.steps", vec!["1"], vec!["0"]),
        ("training.games", vec!["1", "100000"], vec!["0", "100001"]),
        ("training.updates", vec!["0", "1000"], vec!["1001"]),
        ("exploration.start", vec!["0", "1"], vec!["-0.1", "1.1", "nan"]),
        ("exploration.end", vec!["0.0", "1.0"], vec!["-0.1", "1.1"]),
        ("replay.capacity", vec!["256", "268435456"], vec!["0", "255", "268435457"]),
        ("replay.priority_exponent", vec!["0", "1"], vec!["-0.1", "1.1"]),
        ("replay.importance_exponent", vec!["0", "1"], vec!["-0.1", "1.1"]),
        ("learning.batch", vec!["1", "65536"], vec!["0", "65537"]),
        ("learning.discount", vec!["0", "1"], vec!["-0.1", "1.1", "nan"]),
        ("learning.n_step", vec!["1", "1000"], vec!["0", "1001"]),
        ("learning.simulations", vec!["0", "10000"], vec!["10001"]),
        ("learning.actions", vec!["0"], vec!["1", "257"]),
        ("learning.best_actions", vec!["0"], vec!["1"]),
        ("learning.common_error", vec!["1"], vec!["-0.1", "0", "1.1", "nan"]),
        ("learning.lookahead", vec!["0"], vec!["1", "4"]),
        ("learning.next_states", vec!["1"], vec!["0", "2"]),
        ("learning.candidates", vec!["0"], vec!["1", "257"]),
        ("network.prior", vec!["none", "chain", "plan", "plan3"], vec!["cascade"]),
        ("learning.bootstrap_from", vec!["0", "1"], vec!["-0.1", "1.1"]),
        ("learning.reward_scale", vec!["1e-9"], vec!["0", "-1", "inf", "1e-300", "1e300"]),
        ("learning.huber_delta", vec!["1e-9"], vec!["0", "inf"]),
        ("learning.learning_rate", vec!["1e-9"], vec!["0", "inf"]),
        ("learning.final_learning_rate", vec!["0"], vec!["-1e-9", "inf"]),
        ("learning.adam_epsilon", vec!["1e-12"], vec!["0", "inf", "1e-300"]),
        ("learning.max_gradient_norm", vec!["0", "1e-3"], vec!["-1", "inf"]),
        ("target.every", vec!["1"], vec!["0"]),
        ("target.rate", vec!["1e-9", "1"], vec!["0", "1.1"]),
        ("evaluation.every", vec!["1"], vec!["0"]),
        ("evaluation.games", vec!["1", "1000000"], vec!["0", "1000001"]),
        ("evaluation.seed", vec!["1000000"], vec!["0", "9999", "999999"]),
        ("checkpoint.every", vec!["1"], vec!["0"]),
        ("logging.every", vec!["1"], vec!["0"]),
    ] {
        // The largest batch needs a memory that holds it; all others get by with the defaults.
        let text = if key == "learning.batch" { "[replay]\ncapacity = 70000\n" } else { "" };
        for value in allowed {
            assert!(parse(text, &[&format!("{key}={value}")]).is_ok(), "{key} = {value}");
        }
        for value in refused {
            let sentence = sentence(text, &[&format!("{key}={value}")]);
            assert!(sentence.starts_with(&format!("--set: {key}")), "{key} = {value}: {sentence}");
        }
    }
}

#[test]
fn simulated_outcomes_and_several_steps_exclude_each_other() {
    assert!(parse("", &["learning.simulations=4", "learning.n_step=1"]).is_ok());
    let sentence = sentence("", &["learning.simulations=4", "learning.n_step=2"]);
    assert!(sentence.contains("learning.n_step = 2") && sentence.contains("learning.simulations"), "{sentence}");
}
