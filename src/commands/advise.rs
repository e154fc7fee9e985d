//! `matchq advise`: the moves of a board, best first.

mod ranking;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{board_input, print, rules};
use crate::cli::Advise;
use crate::error::{Error, Result};
use crate::games::{Given, Names};
use crate::players::{Advised, Agents, Listed, Next, Playable, advise, in_words, position_stream};

#[derive(Serialize)]
struct Report<'a> {
    player: &'a str,
    /// What a value counts; absent if the player has a scale of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    meaning: &'a str,
    /// Present only if the rules count moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_left: Option<usize>,
    moves: Vec<Listed>,
    /// The game's facts.
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Reads a board and prints the player's ranking of its moves.
pub fn run<G: Playable>(arguments: &Advise, agents: &Agents) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    let board = board_input::read::<G>(arguments, &rules)?;
    let names = Names { board: &board.name, moves_left: "--moves-left", piece: "--piece" };
    let given = Given { board: &board.text, moves_left: arguments.moves_left, piece: arguments.piece.as_deref() };
    let game = given.game::<G>(&rules, &names)?;
    let state = game.state();
    let mut player = super::player::<G>(&arguments.player, &rules, agents)?;
    let mut advice = advise::<G>(player.as_mut(), &state, &mut position_stream::<G>(&state))?;
    let top = arguments.top.map_or(usize::MAX, |top| top as usize);
    board.draw::<G>(arguments.overlay.as_deref(), &state, &advice.moves)?;
    advice.moves.truncate(top);
    match arguments.json {
        false => print(&ranking::table::<G>(player.name(), &state, &advice)),
        true => {
            let mut moves = player
                .list(&state)
                .unwrap_or_else(|| advice.moves.iter().map(|advised| listed::<G>(&state, advised)).collect());
            moves.truncate(top);
            let report = Report {
                player: player.name(),
                unit: advice.meaning.in_points.then_some(G::UNIT),
                meaning: &advice.meaning.about,
                moves_left: Some(G::actions_left(&state)).filter(|left| *left > 0),
                moves,
                more: G::about_board(&state),
            };
            let report = serde_json::to_string(&report)
                .map_err(|error| Error::runtime(format!("the moves cannot be written as JSON: {error}")))?;
            print(&format!("{report}\n"))
        }
    }
}

/// A move as JSON.
fn listed<G: Playable>(state: &G::State, advised: &Advised) -> Listed {
    let mut more = in_words::<G>(state, advised.action);
    more.insert("cost".to_owned(), advised.cost.into());
    more.extend(advised.half_width.map(|half| ("half_width".to_owned(), half.into())));
    more.extend(advised.dropped.then(|| ("dropped".to_owned(), true.into())));
    more.insert("gains".to_owned(), advised.gains.into());
    let next = |next: &Next| json!({"move": G::to_json(next.action), "words": next.words, "gains": next.gains});
    more.extend(advised.next.as_ref().map(|found| ("next".to_owned(), next(found))));
    more.extend(G::about_move(state, advised.action));
    Listed { action: G::to_json(advised.action), value: advised.value, more }
}
