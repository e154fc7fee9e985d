//! A game as plain text: boards, moves, points and the player's values.

use std::io::Write;

use crate::error::Result;
use crate::eval::deal;
use crate::players::{Advice, Advised, Playable, Player, advise};
use crate::report::output::written;

const BEST: usize = 3;

/// Plays the game of a seed, with at most `moves` moves, and writes it; a closed pipe ends it.
pub fn play<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    seed: u128,
    moves: Option<u64>,
    out: &mut impl Write,
) -> Result<()> {
    let (mut game, mut random, mut ties) = deal::<G>(rules, seed);
    let mut number = 0;
    let mut text =
        format!("seed {seed}, {}\n{}\n\n{}\n", player.name(), player.meaning().sentence::<G>(), board(&game));
    while !game.is_over() && moves.is_none_or(|moves| number < moves) {
        let advice = advise::<G>(player, &game.state(), &mut ties)?;
        let action = advice.moves.first().map_or(0, |best| best.action);
        let counted = G::actions_left(&game.state()) > 0;
        let (at, best) = (G::words(&game.state(), action), best::<G>(&game.state(), &advice));
        let points = game.step(action, &mut random).reward;
        number += 1;
        let left = match counted {
            true => format!(", moves left {}", G::actions_left(&game.state())),
            false => String::new(),
        };
        let score = game.score();
        text += &format!("best: {best}\n");
        text += &format!("move {number}: {at}, points {points}, score {score}{left}\n\n{}\n", board(&game));
        if !written(out, &text)? {
            return Ok(());
        }
        text.clear();
    }
    let end = if game.is_over() { "final score" } else { "score so far" };
    written(out, &format!("{text}{end} {}\n", game.score())).map(|_| ())
}

fn board<G: Playable>(game: &G) -> String {
    numbered(&G::board(&game.state()))
}

/// Lines with row numbers, below the last digits of column numbers.
fn numbered(board: &str) -> String {
    let columns = board.lines().next().map_or(0, |row| row.chars().count());
    let edge = board.lines().count().saturating_sub(1).to_string().len() + 1;
    let digits: String = (0..columns).map(|x| (x % 10).to_string()).collect();
    let rows = board.lines().enumerate().map(|(y, row)| format!("{y:<edge$}{row}\n"));
    [format!("{:edge$}{digits}\n", "")].into_iter().chain(rows).collect()
}

fn best<G: Playable>(state: &G::State, advice: &Advice) -> String {
    let told = |advised: &Advised| {
        let Advised { action, value, cost, half_width, .. } = advised;
        let words = G::words(state, *action);
        match half_width {
            Some(half) => format!("{words}: {value:.1}, costs {cost:.1} ± {half:.1}"),
            None if *cost > 0.0 => format!("{words}: {value:.1}, costs {cost:.1}"),
            None => format!("{words}: {value:.1}"),
        }
    };
    advice.moves.iter().filter(|advised| !advised.dropped).take(BEST).map(told).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Match3, Tetris, tetris};
    use crate::players;

    #[test]
    fn moves_left_are_written_only_where_the_rules_set_their_number() {
        let rules = tetris::Rules::new(4).unwrap();
        let mut player = players::parse::<Tetris>("random", &rules).unwrap();
        let mut out = Vec::new();
        play::<Tetris>(player.as_mut(), &rules, 0, None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("seed 0, random\nA value is 0 for every move.\n\n  0123456789\n0 ..."), "{text}");
        let last = text.lines().rfind(|line| line.starts_with("move ")).unwrap();
        assert!(last.ends_with(", points 0, score 0"), "{text}");
        assert!(text.ends_with("\nfinal score 0\n"), "{text}");
    }

    #[test]
    fn a_board_of_any_size_has_its_coordinates() {
        assert_eq!(numbered("ab\n a"), "  01\n0 ab\n1  a\n");
        let tall = numbered(&["abcdefghijkl"; 11].join("\n"));
        assert!(tall.starts_with("   012345678901\n0  abcdefghijkl\n"), "{tall}");
        assert!(tall.ends_with("\n9  abcdefghijkl\n10 abcdefghijkl\n"), "{tall}");
    }

    #[test]
    fn a_game_ends_after_so_many_moves() {
        let mut player = players::parse::<Match3>("matching", &Default::default()).unwrap();
        let mut play = |moves| {
            let mut out = Vec::new();
            super::play::<Match3>(player.as_mut(), &Default::default(), 7, moves, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let (whole, cut) = (play(None), play(Some(3)));
        let (boards, end) = cut.rsplit_once("score so far ").unwrap();
        assert!(whole.starts_with(boards) && boards.contains("\nmove 3: ") && !boards.contains("\nmove 4: "), "{cut}");
        assert!(boards.contains(&format!("score {}, moves left 22", end.trim())), "{cut}");
    }
}
