//! Runs: folders, ends and resuming.

use super::*;

#[cfg(unix)]
#[test]
fn a_run_interrupted_or_killed_and_resumed_ends_as_the_one_that_never_was() {
    const TRAIN: [&str; 7] = ["train", "--config", "tiny.toml", "--quiet", "--threads", "2", "--name"];
    let place = Place::new();
    let train = |name| [&TRAIN[..], &[name]].concat();
    let resume = |name| place.run_well(&["train", "--resume", &format!("runs/{name}"), "--quiet", "--threads", "2"]);

    let mut interrupted = place.start(&train("interrupted"));
    wait_for_rows(&mut interrupted, &place.path("runs/interrupted/train.csv"), 5);
    let id = interrupted.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // The signal again, as if also sent to the process group.
    Command::new("kill").args(["-INT", &id]).output().unwrap();
    let output = interrupted.wait_with_output().unwrap();
    assert_well(&output);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.starts_with("stopped after "), "{told}");
    assert!(told.contains("matchq train --resume runs/interrupted"), "{told}");

    let mut killed = place.start(&train("killed"));
    wait_for_rows(&mut killed, &place.path("runs/killed/train.csv"), 12);
    killed.kill().unwrap();
    killed.wait().unwrap();

    let whole = place.run_well(&train("whole"));
    assert!(whole.starts_with("finished after 8000 steps"), "{whole}");
    let checkpoint = |name: &str, file| fs::read(place.path("runs").join(name).join(file)).unwrap();
    for name in ["interrupted", "killed"] {
        assert!(checkpoint(name, "last.ckpt") != checkpoint("whole", "last.ckpt"), "{name}: it was cut short");
        resume(name);
        for file in ["last.ckpt", "last.safetensors", "best.safetensors", "config.toml"] {
            assert!(checkpoint(name, file) == checkpoint("whole", file), "{name}: {file}");
        }
    }

    // A finished run stays unchanged.
    let before = checkpoint("whole", "last.ckpt");
    resume("whole");
    assert!(checkpoint("whole", "last.ckpt") == before);
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

#[cfg(unix)]
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
        assert!(told.contains(&format!("--checkpoint runs/{name}\n")), "{told}");
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
    assert!(told.contains("value: 3 games") && told.contains("bingos a move"), "{told}");
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
