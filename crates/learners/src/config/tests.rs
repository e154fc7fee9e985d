use std::fs;

use super::*;
use crate::dqn::config::OptimizerKind;
use crate::dqn::loss::Loss;
use crate::dqn::{Config, Learning};
use crate::games::Tetris;
use crate::games::match3::Rules;
use crate::network::device;
use crate::players::{ForGame, Playable, with_game};
use crate::{Dqn, Learner, Lspi, Task, with_learner};

fn resolve(source: &Source) -> Result<(TrainConfig<Config>, Rules)> {
    source.resolve::<Match3, Dqn<Match3>>()
}

fn parse(text: &str, overrides: &[&str]) -> Result<TrainConfig<Config>> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Ok(resolve(&Source::parse(text, "file.toml", &overrides)?)?.0)
}

fn sentence(text: &str, overrides: &[&str]) -> String {
    match parse(text, overrides) {
        Err(Error::User(sentence)) => sentence,
        other => panic!("{text} {overrides:?}: {other:?}"),
    }
}

#[test]
fn nothing_said_is_the_default_and_what_is_resolved_reads_back_the_same() {
    let mut default = TrainConfig::<Config>::default();
    default.run.game.mask = "matching".into();
    default.run.game.rules.insert("obstacle_kinds".into(), 2.into());
    assert_eq!(parse("", &[]), Ok(default));
    let text = "seed = 7\n[learning]\nloss = \"huber\"\n[game.rules]\nobstacle_kinds = 1\n";
    let config = parse(text, &["game.mask=legal"]).unwrap();
    let TrainConfig { run, learner } = &config;
    assert_eq!((run.seed, learner.learning.loss, run.game.mask.as_str()), (7, Loss::Huber, "legal"));
    let resolved = Source::parse(&config.to_toml().unwrap(), "config.toml", &[]).unwrap();
    assert_eq!((resolved.learner(), resolved.game()), (Ok("dqn"), Ok("match3")));
    assert_eq!(resolve(&resolved), Ok((config, Rules::new(1).unwrap())));
}

#[test]
fn three_lines_are_the_configuration_of_the_agent_dqn() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/dqn.toml");
    let three = Source::parse("learner = \"dqn\"\nseed = 1\ngame.name = \"match3\"\n", "file.toml", &[]).unwrap();
    assert_eq!(resolve(&Source::load(&path, &[]).unwrap()), resolve(&three));
}

struct Made<'a>(&'a Source);

impl<G: Playable> Task<G> for Made<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let (config, rules) = self.0.resolve::<G, L>()?;
        L::new(&config, &rules, &device::select(None)?.1).map(|_| ())
    }
}

#[test]
fn the_configurations_that_ship_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty());
    struct Making<'a>(&'a Source);
    impl ForGame for Making<'_> {
        type Output = Result<()>;
        fn run<G: Playable>(self) -> Result<()> {
            with_learner::<G>(self.0, Made(self.0))
        }
    }
    for path in paths {
        let source = Source::load(&path, &[]).unwrap();
        let made = with_game(source.game().unwrap(), Making(&source));
        made.and_then(|made| made).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Every key of a configuration, resolved for its game and its learner.
fn whole(source: &Source) -> Table {
    struct Resolving<'a>(&'a Source, &'a mut Table);
    impl<G: Playable> Task<G> for Resolving<'_> {
        fn run<L: Learner<G>>(self) -> Result<()> {
            *self.1 = self.0.resolve::<G, L>()?.0.to_toml()?.parse().unwrap();
            Ok(())
        }
    }
    impl ForGame for Resolving<'_> {
        type Output = Result<()>;
        fn run<G: Playable>(self) -> Result<()> {
            with_learner::<G>(self.0, self)
        }
    }
    let mut table = Table::new();
    with_game(source.game().unwrap(), Resolving(source, &mut table)).and_then(|done| done).unwrap();
    table
}

#[test]
fn a_configuration_is_still_the_one_of_its_published_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // No figure of dqn-plain-gpu is published.
    for (name, text) in configurations().into_iter().filter(|(name, _)| *name != "dqn-plain-gpu") {
        let shipped = root.join(format!("checkpoints/{name}/config.toml"));
        let path =
            if shipped.exists() { shipped } else { root.join(format!("docs/reports/configurations/{name}.toml")) };
        let [now, then] = [Source::parse(text, name, &[]), Source::load(&path, &[])].map(|source| {
            let mut table = whole(&source.unwrap());
            // The same agent by its name, or by its path.
            table["learning"].as_table_mut().unwrap().remove("start");
            // A training may multiply as its machine is fast.
            if let Some(Value::Table(network)) = table.get_mut("network") {
                network.remove("precision");
            }
            table
        });
        assert_eq!(now, then, "{name}: where a default has changed, configs/{name}.toml names the old value");
    }
}

#[test]
fn the_configuration_of_the_benches_names_every_key_of_its_sections() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/network.toml");
    let source = Source::load(&path, &[]).unwrap();
    let whole = whole(&source);
    for (section, named) in &source.table {
        let keys = |table: &Value| table.as_table().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(named), keys(&whole[section]), "[{section}]");
    }
}

#[test]
fn a_path_with_control_characters_is_shown_escaped_with_how_tomls_quotes_work() {
    for (text, sets, key) in [
        ("learning = { start = \"runs\\new\\best\" }", &[][..], "file.toml: learning.start: "),
        ("learning = { features = [\"a\\u001b\"] }", &[], "file.toml: learning.features: "),
        ("", &["learning.expert=\"runs\\new\""], "--set: learning.expert: "),
    ] {
        let told = sentence(text, sets);
        assert!(told.starts_with(key) && told.contains("in '...', or with /"), "{told}");
        assert!(!told.contains(char::is_control), "{told:?}");
    }
    assert!(sentence("learning = { start = \"runs\\new\" }", &[]).contains(r#""runs\new" has a control character"#));
    // The place of a mistake keeps its lines, and nothing else moves the cursor.
    let told = sentence("seed = \u{1b}[2J", &[]);
    assert!(told.lines().count() > 2 && !told.contains('\u{1b}'), "{told:?}");
}

#[test]
fn the_page_that_a_configuration_names_explains_its_learners_keys() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, text) in configurations() {
        let comments: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        let comments = comments.join(" ");
        let (before, _) = comments.split_once(" explains every key").or(comments.split_once(" explains them")).unwrap();
        let page = before.rsplit(' ').next().unwrap();
        let page = std::fs::read_to_string(root.join(page)).unwrap();
        let keys = text.parse::<Table>().unwrap().remove("learning");
        for key in keys.iter().filter_map(Value::as_table).flat_map(Table::keys) {
            assert!(
                page.contains(&format!("`{key}`")) || page.contains(&format!("`[learning.{key}]`")),
                "{name}: {key}"
            );
        }
    }
}

#[test]
fn an_unknown_key_and_a_wrong_type_are_named_with_their_file() {
    for (text, parts) in [
        ("sead = 1", ["file.toml: sead", "unknown field"]),
        ("[learners]\nbatch = 1", ["file.toml: learners", "expected one of"]),
        ("[learner]\nbatch = 1", ["file.toml: learner", "expected text"]),
        ("[game]\ncolours = 1", ["file.toml: game.colours", "unknown field"]),
        ("[game.rules]\ncolours = 1", ["file.toml: game.rules.colours", "unknown field"]),
        ("[game.rules]\nobstacle_kinds = 1.5", ["file.toml: game.rules.obstacle_kinds", "expected a whole number"]),
        ("[game.rules]\nobstacle_kinds = 253", ["file.toml: game.rules", "must be from 0 to 252"]),
        ("[replay]\nprioritized = true", ["file.toml: replay.prioritized", "unknown field"]),
        ("[replay]\nprioritised = 1", ["file.toml: replay.prioritised", "expected true or false"]),
        ("[training]\nsteps = 1.5", ["file.toml: training.steps", "expected a whole number"]),
        ("[training]\nsteps = -1", ["file.toml: training.steps", "-1"]),
        ("[learning]\nloss = \"cubic\"", ["file.toml: learning.loss", "expected `huber` or `squared`"]),
        ("learning = 3", ["file.toml: learning", "expected a section of keys"]),
    ] {
        let sentence = sentence(text, &[]);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }
    assert!(sentence("seed = ", &[]).starts_with("file.toml is not valid TOML: "));
}

#[test]
fn a_path_needs_no_quotes_in_an_override() {
    for path in ["checkpoints/tetris-imitation", "/tmp/a.safetensors", "../other/agent"] {
        let mut table = Table::new();
        assert_eq!(set(&mut table, &format!("learning.start={path}")).unwrap(), "learning.start");
        assert_eq!(table["learning"]["start"].as_str(), Some(path));
    }
    let refused = set(&mut Table::new(), "learning.start=...").unwrap_err().to_string();
    assert!(refused.contains("is no value of TOML"), "{refused}");
}

#[test]
fn overrides_take_numbers_truths_and_bare_words_and_the_last_one_wins() {
    let overrides = [
        "learning.batch=32",
        " learning.double = true ",
        "learning.loss=huber",
        "learning.optimizer=\"adam\"",
        "learning.batch=64",
    ];
    let learning = parse("[learning]\nbatch = 8\nn_step = 3\n", &overrides).unwrap().learner.learning;
    let expected = Learning {
        batch: 64,
        n_step: 3,
        double: true,
        loss: Loss::Huber,
        optimizer: OptimizerKind::Adam,
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

const NO_MODEL: &str = "network.dynamics_waves = 0";

#[test]
fn switches_that_need_another_one_are_refused_without_it() {
    for (sets, wrong) in [
        (vec!["network.input=plans", "learning.candidates=256"], None),
        (vec!["network.input=afterstate", "network.dynamics_waves=8", "learning.candidates=3"], None),
        (
            vec!["network.input=position", "learning.candidates=3"],
            Some("learning.candidates = 3: it must be 0 where network.input is not \"plans\" and network"),
        ),
        (vec!["network.input=afterstate", "learning.candidates=3"], Some("learning.candidates = 3")),
        (vec!["network.input=plans", "network.next_moves=256"], None),
        (
            vec!["network.input=position", "network.next_moves=3"],
            Some("network.next_moves = 3: it must be 0 where network.input is not \"plans\""),
        ),
        (
            vec!["network.input=afterstate", "network.dynamics_waves=8", "network.next_moves=3"],
            Some("network.next_moves = 3"),
        ),
        (
            vec!["network.input=position", "network.dynamics_waves=8"],
            Some("network.dynamics_waves = 8: it must be 0 where network.input is not \"afterstate\""),
        ),
        (vec!["network.input=plans", "network.dynamics_waves=8"], Some("network.dynamics_waves = 8")),
        (vec!["network.input=position", "network.dueling=true"], None),
        (
            vec!["network.input=afterstate", "network.dueling=true"],
            Some("network.dueling = true: it must be false where network.input is not \"position\""),
        ),
        (vec!["network.input=plans", "network.dueling=true"], Some("network.dueling = true")),
        (vec!["network.input=position", "learning.expected.future=played"], None),
        (
            vec!["network.input=afterstate", "learning.expected.future=played"],
            Some("learning.expected.future = played: it must be \"all\", unless network.input is \"position\""),
        ),
        (
            vec!["network.input=position", "network.dueling=true", "learning.expected.future=played"],
            Some("learning.expected.future = played"),
        ),
    ] {
        match wrong {
            None => assert!(parse(NO_MODEL, &sets).is_ok(), "{sets:?}"),
            Some(part) => {
                let sentence = sentence(NO_MODEL, &sets);
                assert!(sentence.starts_with("--set: ") && sentence.contains(part), "{sentence}");
            }
        }
    }
    // A dynamics model is the default.
    let sentence = sentence("[network]\ninput = \"plans\"\n", &[]);
    assert!(
        sentence.starts_with("file.toml: network.dynamics_waves = 5: it must be 0 where network.input"),
        "{sentence}"
    );
}

#[test]
fn the_ends_of_every_range_are_allowed_and_what_lies_beyond_is_not() {
    for (key, allowed, refused) in [
        ("seed", vec!["0", "9223372036854775807"], vec!["-1"]),
        ("game.name", vec!["match3"], vec!["chess"]),
        ("game.mask", vec!["legal", "matching"], vec!["any", "1"]),
        ("network.channels", vec!["1", "1024"], vec!["0", "1025"]),
        ("network.layers", vec!["2", "64"], vec!["1", "65"]),
        ("network.input", vec!["position", "afterstate", "plans"], vec!["chain", "1"]),
        ("network.dynamics_waves", vec!["0", "64"], vec!["65"]),
        ("network.dynamics_layers", vec!["2", "64"], vec!["1", "65"]),
        ("network.next_moves", vec!["0"], vec!["1", "257"]),
        ("training.steps", vec!["64"], vec!["0"]),
        ("training.warmup", vec!["0", "640000"], vec!["640001"]),
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
        ("learning.expected.outcomes", vec!["1", "10000"], vec!["0", "10001"]),
        ("learning.expected.actions", vec!["0", "256"], vec!["257"]),
        ("learning.candidates", vec!["0"], vec!["1", "257"]),
        ("learning.reward_scale", vec!["1e-9"], vec!["0", "-1", "inf", "1e-300", "1e300"]),
        ("learning.learning_rate", vec!["1e-9"], vec!["0", "inf"]),
        ("learning.final_learning_rate", vec!["0"], vec!["-1e-9", "inf"]),
        ("learning.max_gradient_norm", vec!["0", "1e-3"], vec!["-1", "inf"]),
        ("target.every", vec!["1"], vec!["0"]),
        ("target.rate", vec!["1e-9", "1"], vec!["0", "1.1"]),
        ("evaluation.every", vec!["1"], vec!["0"]),
        ("evaluation.games", vec!["1", "1000000"], vec!["0", "1000001"]),
        ("evaluation.seed", vec!["1000000"], vec!["0", "9999", "999999"]),
        ("checkpoint.every", vec!["1"], vec!["0"]),
        ("logging.every", vec!["1"], vec!["0"]),
    ] {
        // Enough memory for the largest batch; a short warm-up for the shortest training.
        let text = match key {
            "learning.batch" => "[replay]\ncapacity = 70000\n",
            "training.steps" => "[training]\nwarmup = 0\n",
            "network.input" | "learning.candidates" => NO_MODEL,
            _ => "",
        };
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
    assert!(parse("", &["learning.expected.outcomes=4", "learning.n_step=1"]).is_ok());
    let sentence = sentence("", &["learning.expected.outcomes=4", "learning.n_step=2"]);
    assert!(sentence.contains("learning.n_step = 2") && sentence.contains("learning.expected"), "{sentence}");
}

#[test]
fn a_mask_is_refused_where_the_learner_has_no_use_for_it() {
    let text = "learner = 'lspi'\nlearning.features = ['report']\n[game]\nname = 'tetris'\nmask = ";
    let resolve = |mask: &str| {
        let source = Source::parse(&format!("{text}'{mask}'"), "it", &[]).unwrap();
        source.resolve::<Tetris, Lspi<Tetris>>().map(|(config, _)| config.run.game.mask)
    };
    assert_eq!(resolve("safe").unwrap(), "safe");
    let told = resolve("legal").unwrap_err().to_string();
    assert_eq!(told, "it: game.mask: the learner lspi chooses from the mask \"safe\": leave it out");
}

#[test]
fn a_training_can_be_made_longer_where_nothing_goes_by_the_share_that_is_done() {
    let constant = "learning.final_learning_rate=1e-2";
    for (sets, why) in [
        (vec![constant], None),
        (vec![constant, "replay.prioritised=true", "replay.importance_exponent=1"], None),
        (vec![], Some("learning.final_learning_rate")),
        (vec![constant, "replay.prioritised=true"], Some("replay.importance_exponent")),
    ] {
        match (parse("", &sets).unwrap().learner.check_lengthening(), why) {
            (Ok(()), None) => {}
            (Err(sentence), Some(part)) => assert!(sentence.contains(part), "{sets:?}: {sentence}"),
            other => panic!("{sets:?}: {other:?}"),
        }
    }
}

#[test]
fn more_games_than_steps_are_refused() {
    let told = sentence("[training]\nsteps = 2000\nwarmup = 100", &["training.games=10000"]);
    assert!(told.starts_with("--set: training.games = 10000: it must be at most training.steps, 2000"), "{told}");
    assert!(parse("[training]\nsteps = 2000\nwarmup = 100", &["training.games=2000"]).is_ok());
}

#[test]
fn a_path_in_a_configuration_is_looked_for_beside_it() {
    let folder = temp_dir::TempDir::new().unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    let path = folder.path().join("a.toml");
    let start = |value: &str, sets: &[String]| {
        fs::write(&path, format!("learner = 'evolution'\n[learning]\nstart = '{value}'")).unwrap();
        Source::load(&path, sets).unwrap().table["learning"]["start"].as_str().unwrap().to_owned()
    };
    let mine = folder.path().join("mine").display().to_string();
    assert_eq!(start("./mine", &[]).replace("/./", "/"), mine);
    // Names of weights, paths that are not there, and those of --set stay.
    for other in ["mine", "shapes", "runs/other"] {
        assert_eq!(start(other, &[]), other);
    }
    assert_eq!(start("./mine", &["learning.start=./mine".to_owned()]), "./mine");
}
