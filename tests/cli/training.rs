//! Runs: folders, ends and resuming.

use super::*;

/// Waits for the end of a training that was asked to stop, and that says how it goes on.
fn assert_stopped(training: Child, name: &str) {
    let output = training.wait_with_output().unwrap();
    assert_well(&output);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.lines().any(|line| line.starts_with("stopped after ")), "{told}");
    assert!(told.contains(&format!("matchq train --resume {}", own(&format!("runs/{name}")))), "{told}");
}

#[test]
fn a_run_interrupted_or_killed_and_resumed_ends_as_the_one_that_never_was() {
    const TRAIN: [&str; 7] = ["train", "--config", "tiny.toml", "--quiet", "--threads", "2", "--name"];
    let place = Place::new();
    let train = |name| [&TRAIN[..], &[name]].concat();
    let resume = |name| place.run_well(&["train", "--resume", &format!("runs/{name}"), "--quiet", "--threads", "2"]);

    let mut cut_short = vec!["asked", "killed"];
    // As the page asks, on any system.
    let mut asked =
        place.command(&[&train("asked")[..], &["--events"]].concat()).stdin(Stdio::piped()).spawn().unwrap();
    wait_for_rows(&mut asked, &place.path("runs/asked/train.csv"), 5);
    asked.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
    assert_stopped(asked, "asked");
    if cfg!(unix) {
        let mut interrupted = place.start(&train("interrupted"));
        wait_for_rows(&mut interrupted, &place.path("runs/interrupted/train.csv"), 5);
        let id = interrupted.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        // The signal again, as if also sent to the process group.
        Command::new("kill").args(["-INT", &id]).output().unwrap();
        assert_stopped(interrupted, "interrupted");
        cut_short.push("interrupted");
    }

    let mut killed = place.start(&train("killed"));
    wait_for_rows(&mut killed, &place.path("runs/killed/train.csv"), 12);
    killed.kill().unwrap();
    killed.wait().unwrap();

    let whole = place.run_well(&train("whole"));
    assert!(whole.starts_with("finished after 8000 steps"), "{whole}");
    let checkpoint = |name: &str, file| fs::read(place.path("runs").join(name).join(file)).unwrap();
    for name in cut_short {
        assert!(checkpoint(name, "last.ckpt") != checkpoint("whole", "last.ckpt"), "{name}: it was cut short");
        resume(name);
        for file in ["last.ckpt", "last.safetensors", "best.safetensors", "config.toml"] {
            assert!(checkpoint(name, file) == checkpoint("whole", file), "{name}: {file}");
        }
        let curve = |name: &str| String::from_utf8(checkpoint(name, "curve.svg")).unwrap().replace(name, "run");
        assert_eq!(curve(name), curve("whole"));
    }

    // A finished run stays unchanged.
    let before = checkpoint("whole", "last.ckpt");
    resume("whole");
    assert!(checkpoint("whole", "last.ckpt") == before);
}

#[test]
fn a_training_says_what_quick_players_score_in_its_evaluations_games_and_draws_them() {
    let place = Place::new();
    let short = ["--set", "training.steps=160", "--set", "evaluation.luck=0"];
    let output = place.run(&[&["train", "--config", "tiny.toml", "--name", "run"], &short[..]].concat());
    assert_well(&output);
    let said = String::from_utf8(output.stderr).unwrap();
    let curve = fs::read_to_string(place.path("runs/run/curve.svg")).unwrap();
    let mean = |player| {
        let eval = ["eval", "--player", player, "--games", "4", "--seed", "1000000", "--json", "-"];
        let report: serde_json::Value = serde_json::from_str(&place.run_well(&eval)).unwrap();
        report["mean"].as_f64().unwrap()
    };
    let (random, greedy) = (mean("random"), mean("greedy"));
    assert!(said.contains(&format!("for comparison: random {random:.1}, greedy {greedy:.1}\n")), "{said}");
    assert!(curve.contains(">random</text>") && curve.contains(">greedy</text>"), "{curve}");
}

#[test]
fn a_run_with_other_threads_or_instructions_than_before_says_so_in_a_line_each() {
    let place = Place::new();
    let short = ["--threads", "1", "--set", "training.steps=80"];
    place.run_well(&[&["train", "--config", "tiny.toml", "--name", "run", "--quiet"], &short[..]].concat());
    let resume = |threads, instructions: Option<&str>| {
        let mut command = place.command(&["train", "--resume", "runs/run", "--quiet", "--threads", threads]);
        command.envs(instructions.map(|set| ("MATCHQ_INSTRUCTIONS", set)));
        let output = command.output().unwrap();
        assert_well(&output);
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(resume("1", None), "");
    let said = resume("2", None);
    assert!(said.contains("--threads 1") && said.contains("with 2") && said.lines().count() == 1, "{said}");
    let used = InstructionSet::used();
    let said = resume("2", Some("portable"));
    let others = used != InstructionSet::Portable;
    let expected = format!("the instructions {used} and goes on with portable: the last bits");
    assert!(said.contains("--threads 1") && said.contains(&expected) == others, "{said}");
    assert_eq!(said.lines().count(), if others { 2 } else { 1 }, "{said}");
}

#[test]
fn a_folder_in_which_a_process_trains_is_refused_to_another_until_it_is_killed() {
    let place = Place::new();
    let long = "training.steps=1000000000";
    let mut run = place.start(&["train", "--config", "tiny.toml", "--name", "run", "--quiet", "--set", long]);
    wait_for_rows(&mut run, &place.path("runs/run/train.csv"), 2);
    let resume = ["train", "--resume", "runs/run", "--quiet"];
    let refused = place.run(&resume);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("runs/run: another process trains in this folder"), "{said}");
    run.kill().unwrap();
    run.wait().unwrap();

    let mut again = place.start(&resume);
    wait_for_rows(&mut again, &place.path("runs/run/train.csv"), 8);
    again.kill().unwrap();
    again.wait().unwrap();
}

#[test]
fn a_run_is_called_after_its_configuration_and_numbered_where_that_exists() {
    let place = Place::new();
    for name in ["tiny", "tiny-2", "tiny-3"] {
        let short = ["--set", "training.steps=8", "--set", "training.warmup=0"];
        let train = [&["train", "--config", "tiny.toml", "--quiet"][..], &short].concat();
        let told = place.run_well(&train);
        assert!(told.contains(&format!("--checkpoint {}\n", own(&format!("runs/{name}")))), "{told}");
        assert!(place.path("runs").join(name).join("last.ckpt").is_file());
    }
}

#[test]
fn how_a_training_ended_is_written_once() {
    let output = Place::new().run(&["train", "--config", "tiny.toml", "--set", "training.steps=160"]);
    assert_well(&output);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("160 of 160 steps (100 %)").count(), 1, "{told}");
    assert!(told.contains("best evaluation"), "{told}");
}

#[test]
fn an_agent_of_fitted_values_is_trained_resumed_for_longer_and_evaluated() {
    let place = Place::new();
    fs::write(place.path("fitted.toml"), "learner = 'fitted'\ngame = { name = 'bilging' }\n").unwrap();
    let short = ["--set", "sampling.positions=40", "--set", "sampling.outcomes=2", "--set", "playing.outcomes=1"];
    let train = [&["train", "--config", "fitted.toml", "--set", "training.sweeps=3", "--quiet"][..], &short].concat();
    place.run_well(&train);
    place.run_well(&["train", "--resume", "runs/fitted", "--set", "training.sweeps=5", "--quiet"]);
    let told = place.run_well(&["eval", "--checkpoint", "runs/fitted", "--games", "3"]);
    assert!(told.contains("runs/fitted: 3 games") && told.contains("bingos a move"), "{told}");
    let wrong = place.run(&["eval", "--checkpoint", "runs/fitted", "--game", "match3", "--games", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_resolved_configuration_lies_with_the_run_and_gives_the_same_run_again() {
    let place = Place::new();
    place.train_short("first");
    let resolved = fs::read_to_string(place.path("runs/first/config.toml")).unwrap();
    assert!(resolved.contains("steps = 160") && resolved.contains("discount = 0.9"), "{resolved}");
    place.run_well(&["train", "--config", "runs/first/config.toml", "--name", "again", "--quiet"]);
    for file in ["last.ckpt", "last.safetensors", "config.toml"] {
        let [first, again] = ["first", "again"].map(|name| fs::read(place.path("runs").join(name).join(file)).unwrap());
        assert!(first == again, "{file}");
    }
}

#[test]
fn without_a_terminal_progress_is_plain_lines() {
    let place = Place::new();
    let output = place.run(&["train", "--config", "tiny.toml", "--set", "training.steps=160"]);
    assert_well(&output);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("160") && !told.contains('\r') && !told.contains('\x1b'), "{told:?}");
}

#[test]
fn runs_agents_and_configurations_go_by_their_names() {
    let place = Place::new();
    let short = ["--set", "training.steps=64", "--set", "training.games=32", "--set", "training.warmup=32"];
    let train = [&["train", "--quiet", "--config", "dqn-plain", "--name", "mine"][..], &short].concat();
    let told = place.run_well(&[&train[..], &["--set", "evaluation.games=2"]].concat());
    let mine = own("runs/mine");
    let next = format!("\nmeasure it: matchq eval --checkpoint {mine}\nwatch it play: matchq play --player {mine}\n");
    assert!(told.ends_with(&next), "{told}");
    let score = |arguments: &[&str]| {
        let report: Value =
            serde_json::from_str(&place.run_well(&[arguments, &["--games", "3", "--json", "-"]].concat())).unwrap();
        (report["player"].as_str().unwrap().to_owned(), report["scores"].clone())
    };
    let (name, scores) = score(&["eval", "--checkpoint", "mine"]);
    assert_eq!(name, "mine");
    for (arguments, name) in [
        (["eval", "--checkpoint", "runs/mine"], "runs/mine"),
        (["eval", "--player", "mine"], "mine"),
        (["eval", "--player", "runs/mine/best.safetensors:label=x"], "x"),
        (["eval", "--player", "network:checkpoint=mine:precision=f32"], "network:checkpoint=mine:precision=f32"),
    ] {
        assert_eq!(score(&arguments), (name.to_owned(), scores.clone()), "{arguments:?}");
    }
    assert_ne!(score(&["eval", "--player", "dqn-plain"]).1, scores);
    assert!(place.run_well(&["train", "--quiet", "--resume", "mine"]).starts_with("finished after 64 steps"));
    // An empty folder of the name is in nobody's way.
    std::fs::create_dir(place.path("mine")).unwrap();
    std::fs::create_dir(place.path("dqn-plain")).unwrap();
    assert_eq!(score(&["eval", "--checkpoint", "mine"]), ("mine".to_owned(), scores.clone()));
    place.run_well(&["train", "--quiet", "--resume", "mine"]);
    place.run_well(&[&train[..5], &["twice"], &short[..], &["--set", "evaluation.games=2"]].concat());
    // A run of a player's name is told apart, and one of an agent's is mentioned.
    std::fs::rename(place.path("runs/mine"), place.path("runs/plan")).unwrap();
    let told = place.run_well(&["eval", "--checkpoint", "plan", "--games", "3"]);
    let plan = match cfg!(windows) {
        true => "\"network:checkpoint=\"\"plan\"\"\"",
        false => "'network:checkpoint=\"plan\"'",
    };
    assert!(told.ends_with(&format!("matchq play --player {plan}\n")), "{told}");
    std::fs::rename(place.path("runs/plan"), place.path("runs/dqn")).unwrap();
    let output = place.command(&["eval", "--player", "dqn", "--games", "1"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let mentioned = format!("dqn is the agent that ships; that of your run is {}", own("runs/dqn"));
    assert!(output.status.success() && told.contains(&mentioned), "{told}");
}

#[test]
fn every_configuration_of_the_repository_is_inside_the_program() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.map(|name| name.trim_end_matches(".toml").to_owned()).collect();
    names.sort();
    assert_eq!(names, matchq::learners::configurations().iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn a_configuration_is_read_once_from_a_pipe_too_and_an_empty_one_gets_a_sentence() {
    let place = Place::new();
    let text = "learner = \"dqn\"\ntraining = { steps = 64, games = 32, warmup = 32, updates = 0 }\nevaluation = { games = 2 }\n";
    let with_input = |arguments: &[&str], text: &str| {
        let mut command = place.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let inputs: &[&str] = if cfg!(unix) { &["-", "/dev/stdin"] } else { &["-"] };
    for (run, input) in inputs.iter().enumerate() {
        let name = format!("run-{run}");
        let done = with_input(&["train", "--quiet", "--config", input, "--name", &name], text);
        assert!(String::from_utf8_lossy(&done.stdout).starts_with("finished after 64 steps"), "{done:?}");
        let empty = with_input(&["train", "--quiet", "--config", input], "# nothing\n");
        let told = String::from_utf8(empty.stderr).unwrap();
        assert!(
            empty.status.code() == Some(2) && told.contains("sets no key: a configuration names its learner"),
            "{told}"
        );
    }
}
