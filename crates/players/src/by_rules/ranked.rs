//! The player of the articles "Bejeweled 1 AI", which ranks moves by their types.
//!
//! A move completes a line by a token from beside it, and is named by the receiving cell and the
//! token's direction. A swap in which both tokens match is two moves; a move that completes a line
//! in its column and in its row is listed twice, as in the articles' program.

use std::collections::HashSet;
use std::marker::PhantomData;

use serde_json::{Value, json};

use crate::contract::{Listed, Policy, Valued, in_words};
use matchq_core::random::{Role, Stream};
use matchq_games::{Bejeweled, Image, MaskKind, Match3, Text, offered};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Direction {
    Up,
    Down,
    Left,
    Right,
}

use Direction::{Down, Left, Right, Up};

/// Shape that a move makes, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    ThreeWay,
    T,
    L,
    Five,
    Four,
    Three,
}

struct Tokens {
    rows: Vec<Vec<u8>>,
    /// Tokens from this number on match nothing.
    colours: u8,
}

#[derive(Clone, PartialEq, Debug)]
struct Found {
    cell: (usize, usize),
    from: Direction,
    kind: Kind,
    /// Whether the reverse move is listed, too.
    double: bool,
    /// Windows of three equal tokens on the board after the move.
    reaction: usize,
    leaves: Vec<Vec<u8>>,
}

impl Direction {
    fn reverse(self) -> Self {
        match self {
            Up => Down,
            Down => Up,
            Left => Right,
            Right => Left,
        }
    }

    fn letter(self) -> char {
        match self {
            Up => 'U',
            Down => 'D',
            Left => 'L',
            Right => 'R',
        }
    }

    /// The cell some steps away, perhaps off the board.
    fn step(self, (x, y): (usize, usize), steps: usize) -> Option<(usize, usize)> {
        Some(match self {
            Up => (x, y.checked_sub(steps)?),
            Down => (x, y + steps),
            Left => (x.checked_sub(steps)?, y),
            Right => (x + steps, y),
        })
    }

    /// Directions at right angles, in the order of the search.
    fn sides(self) -> [Self; 2] {
        match self {
            Up | Down => [Left, Right],
            Left | Right => [Up, Down],
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::ThreeWay => "3W",
            Self::T => "T",
            Self::L => "L",
            Self::Five => "5M",
            Self::Four => "4M",
            Self::Three => "3M",
        }
    }
}

impl Tokens {
    fn of<G: Image>(rows: Vec<Vec<u8>>) -> Self {
        Self { rows, colours: G::COLOURS as u8 }
    }

    /// Token of a cell; `None` off the board and for a token that matches nothing.
    fn at(&self, (x, y): (usize, usize)) -> Option<u8> {
        self.rows.get(y)?.get(x).copied().filter(|token| *token < self.colours)
    }

    fn stands(&self, token: u8, cell: (usize, usize), direction: Direction, steps: usize) -> bool {
        direction.step(cell, steps).and_then(|cell| self.at(cell)) == Some(token)
    }

    /// Moves in the order of the search: columns from the left, then rows.
    fn moves(&self) -> Vec<((usize, usize), Direction)> {
        let (columns, rows) = (self.rows[0].len(), self.rows.len());
        let mut moves = Vec::new();
        for x in 0..columns {
            self.moves_along((x, 0), Down, rows, &mut moves);
        }
        for y in 0..rows {
            self.moves_along((0, y), Right, columns, &mut moves);
        }
        moves
    }

    fn moves_along(
        &self,
        start: (usize, usize),
        along: Direction,
        length: usize,
        moves: &mut Vec<((usize, usize), Direction)>,
    ) {
        let (back, sides) = (along.reverse(), along.sides());
        let mut place = 0;
        while place < length {
            let cell = |place| along.step(start, place);
            let token = cell(place).and_then(|cell| self.at(cell));
            let mut add = |token: u8, receiver: Option<(usize, usize)>, from: Direction| {
                if let Some(receiver) = receiver.filter(|receiver| self.rows.get(receiver.1).is_some())
                    && receiver.0 < self.rows[0].len()
                    && self.stands(token, receiver, from, 1)
                {
                    moves.push((receiver, from));
                }
            };
            if let Some(token) = token {
                let next = |steps| self.stands(token, cell(place).unwrap_or_default(), along, steps);
                if next(1) {
                    let before = place.checked_sub(1).and_then(cell);
                    let behind = cell(place + 2);
                    add(token, before, back);
                    add(token, behind, along);
                    // The articles' program searches columns cell by cell, rows side by side.
                    let order = match along {
                        Down => [(before, 0), (before, 1), (behind, 0), (behind, 1)],
                        _ => [(before, 0), (behind, 0), (before, 1), (behind, 1)],
                    };
                    for (receiver, side) in order {
                        add(token, receiver, sides[side]);
                    }
                    // The second token of a pair begins nothing.
                    place += 1;
                } else if next(2) {
                    sides.iter().for_each(|side| add(token, cell(place + 1), *side));
                }
            }
            place += 1;
        }
    }

    fn kind(&self, cell: (usize, usize), from: Direction) -> Kind {
        let Some(token) = from.step(cell, 1).and_then(|source| self.at(source)) else { return Kind::Three };
        let near = |direction| self.stands(token, cell, direction, 1);
        let far = |direction| self.stands(token, cell, direction, 2);
        // The articles' program finds only three in a line if an equal token stands two cells away
        // behind another: above, below, or to the right of a move along its column.
        let gap = |direction| !near(direction) && far(direction);
        let others = [Up, Down, Left, Right].into_iter().filter(|direction| *direction != from);
        let spoilt = |direction| match direction {
            Up | Down => gap(direction),
            Right => gap(direction) && matches!(from, Up | Down),
            Left => false,
        };
        if others.into_iter().any(spoilt) {
            return Kind::Three;
        }
        let count = |direction| if near(direction) { 1 + usize::from(far(direction)) } else { 0 };
        let [one, other] = from.sides().map(count);
        let stem = count(from.reverse());
        match (one.min(other), one.max(other), stem) {
            (2, 2, 2) => Kind::ThreeWay,
            (1.., _, 2) => Kind::T,
            (_, 2, 2) => Kind::L,
            (2, 2, _) => Kind::Five,
            (1, 2, _) => Kind::Four,
            _ => Kind::Three,
        }
    }

    /// Cells of each window of three equal tokens, columns first.
    fn windows(&self) -> Vec<[(usize, usize); 3]> {
        let cells = || (0..self.rows.len()).flat_map(|y| (0..self.rows[0].len()).map(move |x| (x, y)));
        let window = |cell: (usize, usize), along: Direction| {
            let token = self.at(cell)?;
            let line = [Some(cell), along.step(cell, 1), along.step(cell, 2)].map(Option::unwrap_or_default);
            line.iter().all(|cell| self.at(*cell) == Some(token)).then_some(line)
        };
        [Down, Right].into_iter().flat_map(|along| cells().filter_map(move |cell| window(cell, along))).collect()
    }

    /// The board after a move: runs are removed once, the tokens above fall, and `unknown` fills
    /// up.
    fn leaves(&self, cell: (usize, usize), from: Direction, unknown: u8) -> Self {
        let mut board = Self { rows: self.rows.clone(), colours: self.colours };
        if let Some((x, y)) = from.step(cell, 1) {
            let token = board.rows[y][x];
            board.rows[y][x] = std::mem::replace(&mut board.rows[cell.1][cell.0], token);
        }
        let gone: HashSet<(usize, usize)> = board.windows().into_iter().flatten().collect();
        let rows = board.rows.len();
        for x in 0..board.rows[0].len() {
            let kept: Vec<u8> = (0..rows).filter(|y| !gone.contains(&(x, *y))).map(|y| board.rows[y][x]).collect();
            let fresh = rows - kept.len();
            for (y, token) in std::iter::repeat_n(unknown, fresh).chain(kept).enumerate() {
                board.rows[y][x] = token;
            }
        }
        board
    }

    /// All moves, best first: by kind, double before single, by reaction, then in the order of the
    /// search.
    fn ranked(&self, unknown: u8) -> Vec<Found> {
        let moves = self.moves();
        let all: HashSet<_> = moves.iter().copied().collect();
        let listed = |(cell, from): &((usize, usize), Direction)| {
            let leaves = self.leaves(*cell, *from, unknown);
            let reverse = from.step(*cell, 1).map(|source| (source, from.reverse()));
            Found {
                cell: *cell,
                from: *from,
                kind: self.kind(*cell, *from),
                double: reverse.is_some_and(|reverse| all.contains(&reverse)),
                reaction: leaves.windows().len(),
                leaves: leaves.rows,
            }
        };
        let mut ranked: Vec<Found> = moves.iter().map(listed).collect();
        ranked.sort_by_key(|listed| (listed.kind, !listed.double, std::cmp::Reverse(listed.reaction)));
        ranked
    }
}

/// Games of swaps of neighbours with visible tokens.
pub trait Gems: Image + Text {
    /// Tokens of a position, row by row from the top; those below
    /// [`COLOURS`](matchq_games::Image::COLOURS) match, and index
    /// [`TOKENS`](matchq_games::Text::TOKENS).
    fn gems(state: &Self::State) -> Vec<Vec<u8>>;

    /// A swap as JSON; `cell` (column, row) receives a token from a direction, one of `UDLR`.
    fn to_json_from(action: usize, cell: (usize, usize), from: char) -> Value;
}

impl Gems for Match3 {
    fn gems(state: &Self::State) -> Vec<Vec<u8>> {
        state.tokens()
    }

    fn to_json_from(action: usize, _: (usize, usize), _: char) -> Value {
        Self::to_json(action)
    }
}

impl Gems for Bejeweled {
    fn gems(state: &Self::State) -> Vec<Vec<u8>> {
        state.gems().iter().map(|row| row.to_vec()).collect()
    }

    fn to_json_from(_: usize, (x, y): (usize, usize), from: char) -> Value {
        format!("({x},{y}){from}").into()
    }
}

/// Plays the move of the best type, as the articles "Bejeweled 1 AI" rank them.
pub struct Ranked<G> {
    /// Cells (column, row) that each action swaps, the upper or left one first.
    actions: Vec<[(usize, usize); 2]>,
    game: PhantomData<G>,
}

impl<G: Gems> Default for Ranked<G> {
    fn default() -> Self {
        // A swap's cells are the same in all positions.
        let state = G::new(&G::Rules::default(), &mut Stream::new(0, Role::Game, 0)).state();
        let cells = |action| {
            let cells = <[(usize, usize); 2]>::try_from(G::cells(&state, action)).unwrap_or_default();
            cells.map(|(row, column)| (column, row))
        };
        Self { actions: (0..G::ACTIONS).map(cells).collect(), game: PhantomData }
    }
}

impl<G: Gems> Ranked<G> {
    fn ranked(&self, state: &G::State) -> Vec<(usize, Found)> {
        let ranked = Tokens::of::<G>(G::gems(state)).ranked(G::TOKENS.len() as u8);
        let with_action = |found: Found| {
            let other = found.from.step(found.cell, 1)?;
            let swapped = [found.cell.min(other), found.cell.max(other)];
            let action = self.actions.iter().position(|cells| *cells == swapped)?;
            Some((action, found))
        };
        ranked.into_iter().filter_map(with_action).collect()
    }
}

impl<G: Gems + Send + Sync> Policy<G> for Ranked<G> {
    /// Each action's value is the number of moves ranked below; all offered actions are equal
    /// without a move.
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let ranked = self.ranked(state);
        let mut values: Vec<Valued> = Vec::new();
        for (after, (action, _)) in ranked.iter().rev().enumerate().rev() {
            if values.iter().all(|valued| valued.action != *action) {
                values.push(Valued::new(*action, after as f64));
            }
        }
        if values.is_empty() {
            let (mask, _) = offered::<G>(state, MaskKind::default_of::<G>());
            values.extend(mask.iter().map(|action| Valued::new(action, 0.0)));
        }
        values
    }

    fn list(&self, state: &G::State) -> Option<Vec<Listed>> {
        let ranked = self.ranked(state);
        if ranked.is_empty() {
            return None;
        }
        let letter = |token: &u8| G::TOKENS.get(usize::from(*token)).map_or('.', |token| token.letter);
        let listed = |(after, (action, found)): (usize, &(usize, Found))| {
            let leaves: Vec<String> = found.leaves.iter().map(|row| row.iter().map(letter).collect()).collect();
            let mut more = in_words::<G>(state, *action);
            more.extend([
                ("type".to_owned(), found.kind.name().into()),
                ("double".to_owned(), found.double.into()),
                ("reaction".to_owned(), found.reaction.into()),
                ("leaves".to_owned(), json!(leaves)),
            ]);
            Listed { action: G::to_json_from(*action, found.cell, found.from.letter()), value: after as f64, more }
        };
        Some(ranked.iter().rev().enumerate().rev().map(listed).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_core::random::Role;
    use matchq_games::{Bejeweled, Game, Match3};

    fn golden() -> impl Iterator<Item = Value> {
        include_str!("../../../../tests/golden/bejeweled.jsonl").lines().map(|line| serde_json::from_str(line).unwrap())
    }

    fn board(case: &Value) -> String {
        let rows: Vec<&str> = case["board"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        rows.join("\n")
    }

    #[test]
    fn every_golden_board_has_its_moves_in_their_order_and_in_their_rank() {
        let player = Ranked::<Bejeweled>::default();
        let mut kinds = HashSet::new();
        for case in golden() {
            let state = Bejeweled::parse(&Default::default(), &board(&case), None).unwrap();
            let moves = case["moves"].as_array().unwrap();
            let found: Vec<String> = Tokens::of::<Bejeweled>(<Bejeweled as Gems>::gems(&state))
                .moves()
                .into_iter()
                .map(|((x, y), from)| format!("({x},{y}){}", &format!("{from:?}")[..1]))
                .collect();
            let expected: Vec<&str> = moves.iter().map(|listed| listed["move"].as_str().unwrap()).collect();
            assert_eq!(found, expected);
            let ranked =
                case["ranked"].as_array().unwrap().iter().map(|index| &moves[index.as_u64().unwrap() as usize]);
            let listed = player.list(&state).unwrap();
            assert_eq!(listed.len(), ranked.len());
            for (found, expected) in listed.iter().zip(ranked) {
                assert_eq!(found.action, expected["move"]);
                for key in ["type", "double", "reaction"] {
                    assert_eq!(found.more[key], expected[key], "{key} of {} on\n{}", expected["move"], board(&case));
                }
                assert_eq!(found.more["leaves"], expected["after"]);
                kinds.insert(found.more["type"].as_str().unwrap().to_owned());
            }
            let first = Bejeweled::from_json(&listed[0].action).unwrap();
            assert_eq!(player.choose(&state, &mut Stream::new(0, Role::Tie, 0)), first);
        }
        assert_eq!(kinds.len(), 6, "all types are among them");
    }

    #[test]
    fn a_gem_that_is_not_known_matches_nothing() {
        let player = Ranked::<Bejeweled>::default();
        let mut known = 0;
        for case in golden().take(20) {
            let moves: Vec<Value> =
                case["moves"].as_array().unwrap().iter().map(|listed| listed["move"].clone()).collect();
            for (x, y) in [(3, 3), (4, 2)] {
                let mut rows: Vec<Vec<char>> = board(&case).lines().map(|row| row.chars().collect()).collect();
                rows[y][x] = '?';
                let text: Vec<String> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
                let state = Bejeweled::parse(&Default::default(), &text.join("\n"), None).unwrap();
                let listed: Vec<Value> = player.list(&state).unwrap().into_iter().map(|listed| listed.action).collect();
                assert!(listed.iter().all(|action| moves.contains(action)));
                let actions: HashSet<usize> =
                    listed.iter().map(|action| Bejeweled::from_json(action).unwrap()).collect();
                assert_eq!(actions, Bejeweled::mask(&state, MaskKind::default_of::<Bejeweled>()).iter().collect());
                known += actions.len();
            }
        }
        assert!(known > 20, "{known} moves without the gem");
    }

    #[test]
    fn in_match_3_every_matching_swap_is_on_the_list_and_no_other() {
        let player = Ranked::<Match3>::default();
        for index in 0..20 {
            let state = Match3::new(&Default::default(), &mut Stream::new(6, Role::Game, index)).state();
            let listed: HashSet<usize> = player.ranked(&state).iter().map(|(action, _)| *action).collect();
            let matching: HashSet<usize> = Match3::mask(&state, MaskKind::default_of::<Match3>()).iter().collect();
            assert_eq!(listed, matching);
            assert_eq!(player.list(&state).is_some(), !matching.is_empty());
        }
    }
}
