use matchq_core::random::{Role, Stream};
use matchq_games::{ActionMask, Episode, Image, Text, offered};

use super::{NetworkShape, Shown};

/// Games in which swaps are checked, and most moves of each: scalars may change late in a game alone.
const DEALS: u64 = 2;
const MOVES: usize = 1_000;

/// What each move of a game swaps, for networks that see the board right after a move.
pub struct Swaps {
    /// Cell of the board before that comes to each cell: `[actions, cells]`.
    pub table: Vec<i64>,
    /// Number of actions.
    pub actions: usize,
    /// What a move adds to the scalars.
    pub scalars: Vec<f32>,
}

impl Swaps {
    /// The swaps of a game in which a move does nothing but swap two cells, for a network that sees the
    /// board after one; else `None`.
    pub fn of<G: Image + Text>(rules: &G::Rules, shape: &NetworkShape) -> Option<Self> {
        if shape.view.shown != Shown::Done {
            return None;
        }
        let cells = G::ROWS * G::COLUMNS;
        let encode = |state: &G::State| {
            let (mut image, mut scalars) = (vec![0.0_f32; G::PLANES * cells], vec![0.0_f32; G::SCALARS]);
            G::encode(state, 0, &mut image, &mut scalars);
            (image, scalars)
        };
        let mut table = Vec::with_capacity(G::ACTIONS * cells);
        let mut change: Option<Vec<f32>> = None;
        let first = G::new(rules, &mut Stream::new(0, Role::Game, 0)).state();
        for action in 0..G::ACTIONS {
            let pair: Vec<usize> =
                G::cells(&first, action).iter().map(|(row, column)| row * G::COLUMNS + column).collect();
            let [one, other] = pair[..] else { return None };
            let mut from: Vec<i64> = (0..cells as i64).collect();
            from.swap(one, other);
            table.extend(from);
        }
        for deal in 0..DEALS {
            let mut game = Episode::<G>::deal(rules, deal.into());
            for _ in 0..MOVES {
                if game.is_over() {
                    break;
                }
                let state = game.state();
                let (image, scalars) = encode(&state);
                let mask: ActionMask = offered::<G>(&state, shape.view.mask).0;
                for action in mask.iter() {
                    let (after, scalars_after) = encode(&G::done(&state, action));
                    let from = &table[action * cells..][..cells];
                    let planes = image.chunks_exact(cells);
                    let swapped = planes.flat_map(|plane| from.iter().map(|cell| plane[*cell as usize]));
                    let added: Vec<f32> =
                        scalars_after.iter().zip(&scalars).map(|(after, before)| after - before).collect();
                    let known = change.get_or_insert_with(|| added.clone());
                    let same = known.iter().zip(&added).all(|(one, other)| (one - other).abs() < 1e-6);
                    if !same || !after.iter().copied().eq(swapped) {
                        return None;
                    }
                }
                let Some(action) = mask.iter().next() else { break };
                game.step(action);
            }
        }
        Some(Self { table, actions: G::ACTIONS, scalars: change? })
    }
}
