//! What reads untrusted input: each function may refuse the bytes, and nothing else.
//!
//! What is understood is used as its readers use it, and must survive a way there and back.

use matchq_games::random::{Role, Stream};
use matchq_games::{MaskKind, offered};
use matchq_page::{Engine, Request};
use matchq_players::agent_file::AgentFile;
use matchq_players::network::Processor;
use matchq_players::{
    Agent, Agents, ForGame, Kind, Playable, Setting, names, parse_with, position_stream, registry, with_game,
};
use matchq_vision::{Picture, Theme, read_best};
use serde_json::Value;

/// A game chosen by the first byte, and the rest.
pub fn game(data: &[u8]) -> Option<(&'static str, &[u8])> {
    let (first, rest) = data.split_first()?;
    let names = names();
    Some((names[usize::from(*first) % names.len()], rest))
}

pub fn in_game<W: ForGame>(name: &str, work: W) -> W::Output {
    with_game(name, work).expect("a game of the list")
}

/// Text up to a zero byte, and the rest.
pub fn text(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let rest = data.get(end + 1..).unwrap_or_default();
    Some((std::str::from_utf8(&data[..end]).ok()?, rest))
}

/// A board's text, in any form, with moves left: what is read is the same when it is written and read
/// again, and each of its moves can be played.
pub fn board(data: &[u8]) {
    struct Read<'a>(&'a str, Option<i64>, usize);
    impl ForGame for Read<'_> {
        type Output = ();

        fn run<G: Playable>(self) {
            let Self(text, left, action) = self;
            let rules = G::Rules::default();
            let Ok(state) = G::parse(&rules, text, left) else { return };
            let written = G::board(&state);
            let again = G::parse(&rules, &written, left).expect("what is written can be read");
            assert_eq!(G::board(&again), written);
            let mut game = G::at(&rules, &state);
            let (mask, _) = offered::<G>(&state, MaskKind::default_of::<G>());
            if let Some(action) = mask.iter().nth(action % mask.count().max(1)).filter(|_| !game.is_over()) {
                game.step(action, &mut Stream::new(1, Role::Game, 0));
                G::board(&game.state());
                assert!(!G::words(&state, action).is_empty());
            }
        }
    }
    let Some((game, rest)) = game(data) else { return };
    let Some((number, rest)) = rest.split_first() else { return };
    let Some((text, _)) = text(rest) else { return };
    let left = (*number > 0).then(|| i64::from(*number) - 2);
    in_game(game, Read(text, left, rest.len()));
}

/// A move in JSON: what is understood means the same when it is written and read again.
pub fn moves(data: &[u8]) {
    struct Read(Value);
    impl ForGame for Read {
        type Output = ();

        fn run<G: Playable>(self) {
            // The number of actions stands for all that are off the board.
            if let Ok(action) = G::from_json(&self.0)
                && action < G::ACTIONS
            {
                let written = G::to_json(action);
                assert_eq!(G::from_json(&written), Ok(action));
            }
        }
    }
    let Some((game, rest)) = game(data) else { return };
    if let Ok(value) = serde_json::from_slice(rest) {
        in_game(game, Read(value));
    }
}

/// A player's text: it is understood, or refused by a sentence; no file is opened.
pub fn player(data: &[u8]) {
    struct Read<'a>(&'a str);
    impl ForGame for Read<'_> {
        type Output = ();

        fn run<G: Playable>(self) {
            let setting = Setting { agents: Agents::closed(), ..Setting::default() };
            match parse_with::<G>(self.0, &G::Rules::default(), &setting) {
                Ok(player) => assert!(!player.name().is_empty()),
                Err(error) => assert_eq!(error.exit_code(), 2, "{error}"),
            }
        }
    }
    let Some((game, rest)) = game(data) else { return };
    if let Some((text, _)) = text(rest) {
        in_game(game, Read(text));
    }
}

/// A theme's file: what is understood means the same when it is written and read again.
pub fn theme(data: &[u8]) {
    let Some((text, _)) = text(data) else { return };
    if let Ok(theme) = Theme::parse("theme.toml", text) {
        let written = theme.to_toml("").expect("a theme can be written");
        let again = Theme::parse("theme.toml", &written).expect("what is written can be read");
        assert_eq!(again.to_toml("").expect("a theme can be written"), written);
    }
}

/// An agent's file as it is; then one with texts from the data and the tensors of an agent that ships, whose checksum fits.
pub fn agent(data: &[u8]) {
    struct Build<'a>(&'a Agent);
    impl ForGame for Build<'_> {
        type Output = ();

        fn run<G: Playable>(self) {
            let Ok(rules) = self.0.rules::<G>() else { return };
            let Ok(mut player) = self.0.player::<G>(&rules, 8, None, &Processor) else { return };
            let state = G::new(&rules, &mut G::random(&rules, 3)).state();
            if let Err(error) = player.rank(&state, &mut position_stream::<G>(&state)) {
                assert_eq!(error.exit_code(), 2, "{error}");
            }
        }
    }
    let agents = Agents::closed();
    if let Ok(agent) = agents.give("given", data) {
        with_game(agent.game(), Build(&agent)).ok();
    }
    let Some((name, rest)) = game(data) else { return };
    let Some((kind, rest)) = rest.split_first() else { return };
    let Some((config, rest)) = text(rest) else { return };
    let Some((rules, rest)) = text(rest) else { return };
    let shipped: Vec<_> = registry::agents().collect();
    let other = &shipped[usize::from(rest.first().copied().unwrap_or(0)) % shipped.len()];
    let tensors = Agent::shipped(other).expect("an agent that ships").file.tensors.clone();
    let kind = Kind::ALL[usize::from(*kind) % Kind::ALL.len()];
    let file = AgentFile { game: name.into(), kind, rules: rules.into(), config: config.into(), tensors };
    let bytes = file.to_bytes().expect("an agent can be written");
    assert_eq!(AgentFile::from_bytes(&bytes).as_ref(), Ok(&file));
    let agent = agents.give("made", &bytes).expect("what was written can be read");
    in_game(name, Build(&agent));
}

/// A picture is decoded within limits; one that is not large is read by a theme as well.
pub fn picture(data: &[u8]) {
    let Ok(picture) = Picture::decode("picture", data) else { return };
    if picture.width() * picture.height() > 400 * 400 {
        return;
    }
    let Some(Ok(theme)) = matchq_vision::NAMES.first().and_then(|name| Theme::named(name)) else { return };
    if let Ok((_, reading)) = read_best("picture", &picture, &[theme], None) {
        assert_eq!(reading.board().lines().count(), reading.likeliest().lines().count());
    }
}

/// A page's request in JSON: the answer is an object.
pub fn page(data: &[u8]) {
    let Some((request, _)) = text(data) else { return };
    // A picture may take seconds for each game's looks: the target `picture` has small ones.
    if let Ok(Request::Read { game: None, .. }) = Request::parse(request.as_bytes()) {
        return;
    }
    let mut engine = Engine::new(Agents::closed(), 20);
    let answer: Value = serde_json::from_str(&engine.answer(request)).expect("an answer is JSON");
    assert!(answer.is_object() || answer.is_array(), "{answer}");
}
