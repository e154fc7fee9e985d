//! Certain chains of several moves at once, a board a lane.

use super::certain::{Certain, UNKNOWN};
use super::{Cells, Grid, LONGEST, Move, NO_MATCH, OBSTACLE, run_points};
use crate::ActionMask;
#[cfg(target_arch = "x86_64")]
use crate::instructions::InstructionSet;
use crate::swap::{self, LANES};

type Lanes = swap::Lanes<{ super::COLUMNS }, { super::ROWS }>;

// An obstacle has only the third digit, an unknown token also the first.
const _: () = assert!(OBSTACLE == 0b100 && UNKNOWN == 0b101);

/// Certain chain of one of several moves.
#[derive(Clone, Copy)]
pub struct Chain<'a> {
    /// Swap that begins the chain.
    pub action: usize,
    /// Points of the chain, or of a move without a match.
    pub points: i32,
    chains: &'a Chains,
    lane: usize,
}

impl Chain<'_> {
    /// Board at rest after the chain.
    #[inline]
    pub fn board(&self) -> Certain {
        self.chains.board(self.lane)
    }
}

impl Certain {
    /// Plays each move by itself as [`play`](Self::play) does, several at once.
    #[inline]
    pub fn play_each(&self, actions: &ActionMask, mut then: impl FnMut(Chain)) {
        let mut actions = actions.iter();
        loop {
            let (mut moves, mut count) = ([0; LANES], 0);
            for (place, action) in moves.iter_mut().zip(actions.by_ref()) {
                *place = action;
                count += 1;
            }
            if count == 0 {
                return;
            }
            let chains = Chains::of(self, &moves[..count]);
            for (lane, action) in moves[..count].iter().enumerate() {
                let points = if chains.points[lane] == 0 { NO_MATCH } else { chains.points[lane] };
                then(Chain { action: *action, points, chains: &chains, lane });
            }
        }
    }
}

/// Value of the best certain plan of up to `depth` moves: the first move's points plus `weight`
/// times the value after it; 0 without a match.
pub fn best_plan(board: &Certain, depth: u32, weight: f64) -> f64 {
    if depth == 0 {
        return 0.0;
    }
    let mut best = 0.0;
    board.play_each(&board.matching(), |chain| {
        let later = if depth > 1 { weight * best_plan(&chain.board(), depth - 1, weight) } else { 0.0 };
        best = f64::max(best, f64::from(chain.points) + later);
    });
    best
}

struct Chains {
    /// Binary digits of the tokens' numbers.
    planes: [Lanes; 3],
    points: [i32; LANES],
}

impl Chains {
    #[inline]
    fn of(board: &Certain, moves: &[usize]) -> Self {
        let mut chains = Self { planes: board.grid.planes().map(Lanes::all), points: [0; LANES] };
        if !chains.play(&Self::swaps(moves)) {
            chains.play_one_by_one(board, moves);
        }
        chains
    }

    /// Two cells of each move, a lane each; other lanes are empty.
    #[inline(always)]
    fn swaps(moves: &[usize]) -> [Lanes; 2] {
        let mut cells = [Lanes::all(Cells::EMPTY); 2];
        for (lane, action) in moves.iter().enumerate().take(LANES) {
            let (one, other) = Move::cells_of(*action).unwrap_or_default();
            cells[0].put(lane, one);
            cells[1].put(lane, other);
        }
        cells
    }

    #[inline]
    fn board(&self, lane: usize) -> Certain {
        Certain { grid: Grid::masked(self.planes.map(|plane| plane.lane(lane))) }
    }

    /// Plays the moves at once, or returns false without wide registers.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    #[inline]
    fn play(&mut self, swapped: &[Lanes; 2]) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let set = InstructionSet::used();
            if set >= InstructionSet::Avx512 && is_x86_feature_detected!("avx512vpopcntdq") {
                // SAFETY: the processor has these instructions, as just checked.
                unsafe { self.play_with_avx512(swapped) };
                return true;
            }
            if set >= InstructionSet::Avx2 {
                // SAFETY: the set in use includes AVX2 and the bit instructions.
                unsafe { self.play_with_avx2(swapped) };
                return true;
            }
        }
        false
    }

    /// Plays the moves one by one, without wide registers twice as fast as `play_with_any`.
    fn play_one_by_one(&mut self, board: &Certain, moves: &[usize]) {
        for (lane, action) in moves.iter().enumerate() {
            let mut alone = *board;
            self.points[lane] = alone.play(*action).max(0);
            for (plane, cells) in self.planes.iter_mut().zip(alone.grid.planes()) {
                plane.put(lane, *cells);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn play_with_avx512(&mut self, swapped: &[Lanes; 2]) {
        self.play_with_any(swapped);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn play_with_avx2(&mut self, swapped: &[Lanes; 2]) {
        self.play_with_any(swapped);
    }

    #[cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]
    #[inline(always)]
    fn play_with_any(&mut self, [one, other]: &[Lanes; 2]) {
        let [mut low, mut high, mut no_gem] = self.planes;
        // A move with an unknown cell swaps nothing.
        let both = *one | *other;
        let both = both.where_empty(both & low & !high & no_gem);
        low ^= both.where_one_is_empty(low & *one, low & *other);
        high ^= both.where_one_is_empty(high & *one, high & *other);
        no_gem ^= both.where_one_is_empty(no_gem & *one, no_gem & *other);
        loop {
            // Only gems have no third digit.
            let gems = Lanes::all(Cells::ALL) & !no_gem;
            // Two pairs of equal neighbours are a three.
            let pairs = gems & gems.down() & !(low ^ low.down() | high ^ high.down());
            let vertical = pairs & pairs.down();
            let pairs = gems & gems.left() & !(low ^ low.left() | high ^ high.left());
            let horizontal = pairs & pairs.left();
            if (vertical | horizontal).is_empty() {
                break;
            }
            self.score(vertical & !vertical.up(), vertical, Lanes::down);
            self.score(horizontal & !horizontal.right(), horizontal, Lanes::left);
            let (up, right) = (vertical.up(), horizontal.right());
            let cleared = vertical | up | up.up() | horizontal | right | right.right();
            let beside = cleared.up() | cleared.down() | cleared.left() | cleared.right();
            // Obstacles have only the third digit; unknown tokens stay.
            let mut empty = cleared | beside & no_gem & !low & !high;
            while !empty.is_empty() {
                let moving = empty.falling();
                low ^= (low ^ low.down()) & moving;
                high ^= (high ^ high.down()) & moving;
                no_gem ^= (no_gem ^ no_gem.down()) & moving;
                empty ^= (empty ^ empty.down()) & moving;
                // Tokens that come in at the top are unknown.
                let top = moving & Lanes::all(Cells::TOP);
                low |= top;
                no_gem |= top;
            }
        }
        self.planes = [low, high, no_gem];
    }

    /// Adds the points of runs in one direction, by their first threes `runs`. Each further cell,
    /// up to [`LONGEST`], adds the difference in points.
    #[inline(always)]
    fn score(&mut self, mut runs: Lanes, mut threes: Lanes, to_start: impl Fn(Lanes) -> Lanes) {
        let mut before = 0;
        for length in 3..=LONGEST {
            let more = run_points(length) - before;
            for (points, count) in self.points.iter_mut().zip(runs.count()) {
                *points += count * more;
            }
            before = run_points(length);
            threes = to_start(threes);
            runs &= threes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::match3::{COLUMNS, Match3, ROWS, Rules};
    use crate::random::{Draw, Role, Stream};

    fn boards() -> Vec<Certain> {
        let rules = Rules::default();
        let mut stream = Stream::new(11, Role::Explore, 0);
        let mut boards = Vec::new();
        for _ in 0..60 {
            let game = Match3::new(&rules, &mut stream);
            let mut board = Certain::of(&game.state());
            boards.push(board);
            // Any tokens anywhere, with runs and unknown ones.
            for kinds in 1..=u32::from(UNKNOWN) + 1 {
                let mut tokens = [[0; COLUMNS]; ROWS];
                stream.fill_below(kinds, tokens.as_flattened_mut());
                boards.push(Certain { grid: Grid::from_rows(&tokens) });
            }
            for _ in 0..4 {
                let matching = board.matching();
                let Some(action) = matching.nth(stream.below(matching.count().max(1) as u32) as usize) else { break };
                board.play(action);
                boards.push(board);
            }
        }
        boards
    }

    /// Each way of this machine to compute chains.
    fn ways() -> Vec<fn(&Certain, &[usize]) -> Chains> {
        fn start(board: &Certain) -> Chains {
            Chains { planes: board.grid.planes().map(Lanes::all), points: [0; LANES] }
        }
        let mut ways: Vec<fn(&Certain, &[usize]) -> Chains> = vec![Chains::of];
        ways.push(|board, moves| {
            let mut chains = start(board);
            chains.play_with_any(&Chains::swaps(moves));
            chains
        });
        ways.push(|board, moves| {
            let mut chains = start(board);
            chains.play_one_by_one(board, moves);
            chains
        });
        #[cfg(target_arch = "x86_64")]
        if InstructionSet::present().contains(&InstructionSet::Avx2) {
            ways.push(|board, moves| {
                let mut chains = start(board);
                // SAFETY: the processor has just been asked for these instructions.
                unsafe { chains.play_with_avx2(&Chains::swaps(moves)) };
                chains
            });
        }
        ways
    }

    #[test]
    fn moves_played_at_once_leave_the_points_and_boards_of_each_played_by_itself() {
        for board in boards() {
            for moves in (0..Match3::ACTIONS).collect::<Vec<_>>().chunks(LANES) {
                for play in ways() {
                    let chains = play(&board, moves);
                    for (lane, action) in moves.iter().enumerate() {
                        let mut alone = board;
                        let points = alone.play(*action);
                        let context = || format!("move {action} on\n{}", board.board());
                        assert_eq!(chains.points[lane], points.max(0), "{}", context());
                        assert_eq!(chains.board(lane), alone, "{}", context());
                    }
                }
            }
        }
    }

    #[test]
    fn each_move_of_a_set_is_played_once_in_their_order() {
        let board = boards()[0];
        for count in [0, 1, 7, 8, 9, 16, 142] {
            let moves: ActionMask = (0..count).collect();
            let mut played = Vec::new();
            board.play_each(&moves, |chain| {
                let mut alone = board;
                assert_eq!(chain.points, alone.play(chain.action));
                assert_eq!(chain.board(), alone);
                played.push(chain.action);
            });
            assert_eq!(played, moves.iter().collect::<Vec<_>>());
        }
    }
}
