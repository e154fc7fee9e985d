//! `matchq advise`: the moves of a board, best first.

mod ranking;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{board_input, print, rules};
use crate::cli::Advise;
use crate::error::{Error, Result};
use crate::players::{Advised, Agents, Listed, Next, Playable, advise, in_words, position_stream};
use crate::random::{Role, Stream};

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
    let board = board_input::read::<G>(arguments)?;
    let name = &board.name;
    let state = position::<G>(&rules, name, &board.text, arguments.moves_left)?;
    let state = with_piece::<G>(name, &state, arguments.piece.as_deref())?;
    // The rules may change the state.
    let game = G::at(&rules, &state);
    if game.is_over() {
        return Err(Error::user(format!("{name}: the game is over on this board, by these rules")));
    }
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

/// The position with the given piece; an error if unknown, or missing though needed.
fn with_piece<G: Playable>(name: &str, state: &G::State, piece: Option<&str>) -> Result<G::State> {
    let letters = G::PIECES.iter().map(char::to_string).collect::<Vec<_>>();
    match piece {
        None if G::PIECES.is_empty() || G::is_whole(state) => Ok(*state),
        None => Err(Error::user(format!("{name} shows no piece: --piece must be one of {}", letters.join(" ")))),
        Some(piece) => match letters.iter().position(|letter| letter == piece) {
            Some(number) if G::is_whole(state) && G::with_piece(state, number) != *state => {
                Err(Error::user(format!("--piece {piece}: {name} shows another piece: leave one of them out")))
            }
            Some(number) => Ok(G::with_piece(state, number)),
            None if letters.is_empty() => Err(Error::user(format!("--piece {piece}: {} has no pieces", G::NAME))),
            None => Err(Error::user(format!("--piece {piece}: it must be one of {}", letters.join(" ")))),
        },
    }
}

/// The position of a board at rest, by default with all moves left.
fn position<G: Playable>(rules: &G::Rules, name: &str, text: &str, moves_left: Option<i64>) -> Result<G::State> {
    let all = G::actions_left(&G::new(rules, &mut Stream::new(0, Role::Game, 0)).state()) as i64;
    if let (Some(moves_left), 0) = (moves_left, all) {
        return Err(Error::user(format!("--moves-left {moves_left}: {} does not count moves: leave it out", G::NAME)));
    }
    let moves_left = moves_left.unwrap_or(all);
    if all > 0 && !(1..=all).contains(&moves_left) {
        return Err(Error::user(format!("--moves-left {moves_left}: it must be from 1 to {all}")));
    }
    let state = G::parse(rules, text, Some(moves_left));
    state.map_err(|error| Error::user(format!("{name}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Match3;

    const BOARD: &str =
        "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";

    #[test]
    fn a_board_may_end_with_a_newline_and_come_from_any_system() {
        let expected = position::<Match3>(&Default::default(), "x", BOARD, Some(3)).unwrap();
        assert_eq!(position::<Match3>(&Default::default(), "x", &format!("{BOARD}\n"), Some(3)), Ok(expected));
        let windows = BOARD.replace('\n', "\r\n");
        for end in ["\r\n", "\r", "", "\n\n", "\r\n\r\n", "\n  \n\t"] {
            assert_eq!(
                position::<Match3>(&Default::default(), "x", &format!("{windows}{end}"), Some(3)),
                Ok(expected),
                "{end:?}"
            );
        }
    }

    #[test]
    fn the_first_cell_of_a_run_is_named() {
        // (0, 2) and (0, 3) are a; an a above makes a column of three.
        let column = BOARD.replacen("dc#c#dcb", "ac#c#dcb", 1);
        let row = BOARD.replacen("a#cc#bbc", "a#ccc#bc", 1);
        for (board, place) in [(column, "row 1, column 0"), (row, "row 2, column 2")] {
            let error = position::<Match3>(&Default::default(), "b.txt", &board, Some(3)).unwrap_err();
            assert!(
                matches!(&error, Error::User(text) if text.starts_with("b.txt: ") && text.contains(place)),
                "{error}"
            );
        }
    }
}
