//! Agents as Python files. What the files play is tested in Python.

use super::*;

#[test]
fn a_file_has_the_code_that_its_agent_needs_and_no_more() {
    let place = Place::new();
    let export = |name| place.run_well(&["export", name, "--python", "-"]);
    let [plain, dqn, fitted] = ["dqn-plain", "dqn", "match3-fitted"].map(export);
    for source in [&plain, &dqn, &fitted] {
        assert!(source.contains("def choose(") && source.contains("def ai_callback("), "{source}");
    }
    assert!(dqn.contains("def next_wave(") && !plain.contains("def next_wave("));
    assert!(dqn.contains("base64") && !fitted.contains("base64"));
    // Three weights are to be read, as 32-bit numbers in full.
    assert!(fitted.contains("    \"plan\": 1.4443093538284302,\n"), "{fitted}");
}

#[test]
fn a_file_is_written_whole_and_its_name_and_what_to_do_next_are_said() {
    let place = Place::new();
    let said = place.run_well(&["export", "match3-fitted", "--python", "my agent.py"]);
    let file = if cfg!(windows) { "\"my agent.py\"" } else { "'my agent.py'" };
    assert!(said.contains(&format!("python {file} BOARD.txt")), "{said}");
    assert!(said.contains("under a name that Python can import"), "{said}");
    let said = place.run_well(&["export", "dqn", "--python", "agent.py"]);
    assert!(said.contains("also in the kit\n"), "{said}");
    let written = fs::read_to_string(place.path("my agent.py")).unwrap();
    assert_eq!(written, place.run_well(&["export", "match3-fitted", "--python", "-"]));
}

#[test]
fn what_cannot_be_exported_gets_a_sentence_and_no_file() {
    let place = Place::new();
    for (name, file, sentence) in [
        ("nobody", "a.py", "error: nobody is not there: name an agent's file"),
        (
            "dqn:plan=0",
            "a.py",
            "error: dqn:plan=0 is a player with parameters, where an agent is asked for: name dqn alone",
        ),
        ("greedy", "a.py", "error: greedy is a player without an agent's file: export an agent, such as dqn"),
        ("dqn+search", "a.py", "error: dqn+search searches, which no exported file does: export dqn, the agent alone"),
        ("dqn", "nowhere/a.py", "error: --python nowhere/a.py: the folder nowhere does not exist"),
        ("tiny.toml", "a.py", "error: tiny.toml "),
        (
            "bilging-fitted",
            "a.py",
            "error: bilging-fitted plays bilging; export --python writes agents of match3 alone: in Python use \
             matchq.Agent.load(\"bilging-fitted\")\n",
        ),
    ] {
        let output = place.run(&["export", name, "--python", file]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with(sentence), "{error}");
        assert!(!place.path(file).exists());
    }
}
