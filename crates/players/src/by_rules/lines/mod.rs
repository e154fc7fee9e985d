//! Whole lines of moves in games without chance: each line is searched once, then played to its end.

mod anneal;
mod beam;
mod nested;
mod nrpa;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use anneal::Anneal;
pub use beam::{Beam, Value, Width};
pub use nested::Nested;
pub use nrpa::Nrpa;

use crate::contract::{Meaning, Policy, Valued};
use matchq_core::clock::Instant;
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::{Lookahead, MaskKind, Puzzle, after_line, offered};

/// A line of moves to the end of a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// Points of all moves.
    pub points: f64,
    /// The moves.
    pub actions: Vec<usize>,
}

impl Line {
    /// No line, which any other is better than.
    const NONE: Self = Self { points: f64::NEG_INFINITY, actions: Vec::new() };
}

/// A search for the line with the most points; one that is asked to stop gives the best so far, or
/// unwinds without one.
pub trait FindLine<G: Lookahead>: Send + Sync {
    /// The best line found from a position; the position must not be an end.
    fn find(&self, puzzle: &dyn Puzzle<G>, state: &G::State, ties: &mut Stream) -> Line;
}

/// Plays the line that a search has found, and searches again where another game goes on.
pub struct LinePlayer<G: Lookahead, F> {
    /// The search.
    pub search: F,
    puzzle: &'static dyn Puzzle<G>,
    /// Rest of each line by the position's number.
    rests: Mutex<HashMap<u64, Rest<G::State>>>,
}

struct Rest<S> {
    state: S,
    line: Line,
}

/// Lines that are kept; then all are forgotten.
const KEPT: usize = 10_000;

impl<G: Lookahead, F: FindLine<G>> LinePlayer<G, F> {
    /// The player of a search.
    pub fn new(puzzle: &'static dyn Puzzle<G>, search: F) -> Self {
        Self { search, puzzle, rests: Mutex::new(HashMap::new()) }
    }

    /// Line from a position on: the rest of a line that led here, or a new one.
    fn line(&self, state: &G::State, ties: &mut Stream) -> Line {
        let known = self.rests.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.puzzle.hash(state));
        match known {
            Some(rest) if rest.state == *state => rest.line,
            _ => self.search.find(self.puzzle, state, ties),
        }
    }

    fn keep(&self, state: G::State, line: Line) {
        let mut rests = self.rests.lock().unwrap_or_else(PoisonError::into_inner);
        if rests.len() >= KEPT {
            rests.clear();
        }
        rests.insert(self.puzzle.hash(&state), Rest { state, line });
    }

    /// Keeps what follows a line's first move.
    fn keep_rest(&self, state: &G::State, line: &Line) {
        if let Some((action, rest @ [_, ..])) = line.actions.split_first() {
            let (points, next) = after_line::<G>(state, &[*action]);
            self.keep(next, Line { points: line.points - points, actions: rest.to_vec() });
        }
    }
}

impl<G: Lookahead, F: FindLine<G>> Policy<G> for LinePlayer<G, F> {
    /// The line's first move alone.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let line = self.line(state, ties);
        match line.actions.first() {
            Some(action) => {
                let valued = Valued::new(*action, line.points);
                // A search that was stopped may find more next time.
                if !stop::is_asked() {
                    self.keep_rest(state, &line);
                    self.keep(*state, line);
                }
                vec![valued]
            }
            None => {
                let (mask, _) = offered::<G>(state, MaskKind::default_of::<G>());
                mask.nth(0).map(|action| Valued::new(action, 0.0)).into_iter().collect()
            }
        }
    }

    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        let line = self.line(state, ties);
        let Some(action) = line.actions.first() else {
            return offered::<G>(state, MaskKind::default_of::<G>()).0.nth(0).unwrap_or_default();
        };
        self.keep_rest(state, &line);
        *action
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("the best line of moves that was found".to_owned())
    }
}

/// Time for a line, from when the search begins.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    begin: Instant,
    time: Option<Duration>,
}

impl Deadline {
    fn new(time: Option<Duration>) -> Self {
        Self { begin: Instant::now(), time }
    }

    /// Time that is left; `None` without a bound.
    fn left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.begin.elapsed()))
    }

    /// Part of the time that is over; 0 without a bound.
    fn part(&self) -> f64 {
        self.time.map_or(0.0, |time| self.begin.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9))
    }

    /// Whether the time is over, or the search is asked to stop.
    fn is_over(&self) -> bool {
        stop::is_asked() || self.left().is_some_and(|left| left.is_zero())
    }

    /// Best line of searches one after another until the time is over; without a time of one.
    fn best(&self, mut search: impl FnMut() -> Line) -> Line {
        let mut best = search();
        while self.time.is_some() && !self.is_over() {
            let line = search();
            if line.points > best.points {
                best = line;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Measured;
    use matchq_core::random::Role;
    use matchq_games::samegame::{Boards, GROUPS, Rules, TABU};
    use matchq_games::{Game, SameGame, Text};

    const PUZZLE: &dyn Puzzle<SameGame> = SameGame::PUZZLE.unwrap();

    fn stream() -> Stream {
        Stream::new(5, Role::Tie, 0)
    }

    fn searches() -> Vec<Box<dyn FindLine<SameGame>>> {
        vec![
            Box::new(Beam::<SameGame> { width: Width::Positions(200), mask: GROUPS, value: Box::new(|_| 0.0) }),
            Box::new(nrpa(2, 20)),
            Box::new(Nested { level: 1, time: None, mask: GROUPS }),
            Box::new(Anneal { changes: 20_000, ..anneal(None) }),
        ]
    }

    fn anneal(time: Option<Duration>) -> Anneal<SameGame> {
        Anneal {
            by_tiles: SameGame::BY_TILES.unwrap(),
            changes: 1,
            time,
            heat: (60.0, 30.0),
            left: 20.0,
            mask: TABU,
            first: None,
        }
    }

    fn nrpa(level: u32, iterations: u32) -> Nrpa<SameGame> {
        Nrpa { level, iterations, playouts: 1, time: None, mask: TABU, alpha: 1.0, repeats: 0, first: None }
    }

    fn small(rows: &[&str]) -> <SameGame as Game>::State {
        let mut lines = vec![".".repeat(15); 15 - rows.len()];
        lines.extend(rows.iter().map(|row| format!("{row:.<15}")));
        SameGame::parse(&Rules::default(), &lines.join("\n"), None).unwrap()
    }

    /// Most points of all lines, by trying each.
    fn most(state: &<SameGame as Game>::State) -> f64 {
        let mut best = 0.0;
        PUZZLE.expand(state, GROUPS, &mut |_, points, next| best = f64::max(best, f64::from(points) + most(next)));
        best
    }

    #[test]
    fn each_search_finds_the_best_line_of_a_small_board_and_its_points_are_those_of_its_moves() {
        for rows in [&["RGR", "GGR", "RBB", "RGB"][..], &["YYV", "VRV", "RRY", "VVY"], &["RGBRGB"]] {
            let state = small(rows);
            for search in searches() {
                let line = search.find(PUZZLE, &state, &mut stream());
                assert_eq!(after_line::<SameGame>(&state, &line.actions).0, line.points, "{rows:?}");
                assert_eq!(line.points, most(&state), "{rows:?}");
            }
        }
    }

    #[test]
    fn a_search_without_time_has_a_line_all_the_same() {
        let rules = Rules { boards: Boards::Standard };
        let state = SameGame::new(&rules, &mut SameGame::random(&rules, 4)).state();
        let time = Some(Duration::from_nanos(1));
        let beam = Beam { width: Width::Positions(99), mask: GROUPS, value: Box::new(|_| 0.0) };
        let searches: [Box<dyn FindLine<SameGame>>; 6] = [
            Box::new(anneal(time)),
            Box::new(Anneal { first: Some(beam), ..anneal(time) }),
            Box::new(anneal(None)),
            Box::new(Beam { width: Width::Time(Duration::from_nanos(1)), mask: GROUPS, value: Box::new(|_| 0.0) }),
            Box::new(Nrpa { time, alpha: 1e3, ..nrpa(3, 9) }),
            Box::new(Nested { level: 2, time, mask: GROUPS }),
        ];
        for search in searches {
            let line = search.find(PUZZLE, &state, &mut stream());
            let (points, end) = after_line::<SameGame>(&state, &line.actions);
            assert_eq!(points, line.points);
            assert!(SameGame::mask(&end, MaskKind::LEGAL).is_empty(), "the game is over");
        }
    }

    #[test]
    fn a_line_leads_to_the_end_of_a_standard_board_and_is_found_again() {
        let rules = Rules { boards: Boards::Standard };
        let state = SameGame::new(&rules, &mut SameGame::random(&rules, 4)).state();
        for search in searches() {
            let line = search.find(PUZZLE, &state, &mut stream());
            let (points, end) = after_line::<SameGame>(&state, &line.actions);
            assert_eq!(points, line.points);
            assert!(SameGame::mask(&end, MaskKind::LEGAL).is_empty(), "the game is over");
            assert_eq!(search.find(PUZZLE, &state, &mut stream()), line);
        }
    }

    #[test]
    fn weights_that_adapt_find_better_lines_than_as_many_random_games() {
        let rules = Rules { boards: Boards::Standard };
        let (mut adapted, mut random) = (0.0, 0.0);
        for seed in 1..=3 {
            let state = SameGame::new(&rules, &mut SameGame::random(&rules, seed)).state();
            let search = |level, iterations, alpha| {
                Nrpa { alpha, ..nrpa(level, iterations) }.find(PUZZLE, &state, &mut stream()).points
            };
            adapted += search(2, 40, 1.0);
            random += search(1, 1_600, 0.0);
        }
        assert!(adapted > 1.2 * random, "{adapted} {random}");
    }

    #[test]
    fn a_nest_begins_with_the_line_of_its_beam_as_its_best_game() {
        let rules = Rules { boards: Boards::Standard };
        let state = SameGame::new(&rules, &mut SameGame::random(&rules, 4)).state();
        let value = SameGame::FORECAST.unwrap().points;
        let beam = || Beam::<SameGame> { width: Width::Positions(20), mask: GROUPS, value: Box::new(value) };
        let line = beam().find(PUZZLE, &state, &mut stream());
        let search = |iterations, first| Nrpa { first, ..nrpa(1, iterations) }.find(PUZZLE, &state, &mut stream());
        assert!(search(1, None).points < line.points, "a random game is not as good");
        assert_eq!(search(1, Some(beam())), line);
        assert!(search(100, Some(beam())).points >= line.points);
    }

    #[test]
    fn cooling_lines_ends_with_far_more_points_than_changing_them_at_a_great_heat() {
        let rules = Rules { boards: Boards::Standard };
        let state = SameGame::new(&rules, &mut SameGame::random(&rules, 4)).state();
        let points = |heat| {
            let search = Anneal { changes: 50_000, heat, ..anneal(None) };
            search.find(PUZZLE, &state, &mut stream()).points
        };
        assert!(points((60.0, 30.0)) > 1.2 * points((1e6, 1e6)));
    }

    #[test]
    fn an_annealing_goes_on_from_the_line_of_its_beam() {
        let rules = Rules { boards: Boards::Standard };
        let state = SameGame::new(&rules, &mut SameGame::random(&rules, 4)).state();
        let beam = || Beam::<SameGame> { width: Width::Positions(20), mask: GROUPS, value: Box::new(|_| 0.0) };
        let line = beam().find(PUZZLE, &state, &mut stream());
        let annealed = |changes| {
            let search = Anneal { changes, heat: (1e-3, 1e-3), first: Some(beam()), ..anneal(None) };
            search.find(PUZZLE, &state, &mut stream()).points
        };
        let random = anneal(None).find(PUZZLE, &state, &mut stream()).points;
        assert!(annealed(1) >= line.points && line.points > random, "{} {} {random}", annealed(1), line.points);
        assert!(annealed(2_000) > line.points, "changes make it better");
        // Without time the line leads as far as the beam came.
        let part = beam().before(&Deadline::new(Some(Duration::ZERO)), PUZZLE, &state);
        let (points, end) = after_line::<SameGame>(&state, &part.actions);
        assert!(!part.actions.is_empty() && points == part.points, "{part:?}");
        assert!(!SameGame::mask(&end, MaskKind::LEGAL).is_empty(), "it was cut");
    }

    #[test]
    fn a_wider_beam_never_drops_what_a_value_of_the_points_to_come_calls_best() {
        let state = small(&["RGRGR", "GGRBB", "RBBGY", "RGBYY", "YYVVR"]);
        for width in [1, 4] {
            let beam = Beam::<SameGame> { width: Width::Positions(width), mask: GROUPS, value: Box::new(most) };
            assert_eq!(beam.find(PUZZLE, &state, &mut stream()).points, most(&state));
        }
    }

    /// A search that counts how often it is asked.
    struct Counted(std::sync::atomic::AtomicUsize);

    impl FindLine<SameGame> for Counted {
        fn find(&self, puzzle: &dyn Puzzle<SameGame>, state: &<SameGame as Game>::State, ties: &mut Stream) -> Line {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Nested { level: 1, time: None, mask: TABU }.find(puzzle, state, ties)
        }
    }

    #[test]
    fn a_line_is_searched_once_a_game_and_again_where_somebody_else_moves() {
        let player = LinePlayer::new(PUZZLE, Counted(Default::default()));
        let asked = || player.search.0.load(std::sync::atomic::Ordering::Relaxed);
        let mut draws = stream();
        let mut game = SameGame::new(&Rules::default(), &mut draws);
        let start = game.state();
        let first = player.values(&start, &mut stream());
        while !game.is_over() {
            let action = player.choose(&game.state(), &mut stream());
            game.step(action, &mut draws);
        }
        assert_eq!((asked(), first[0].value), (1, f64::from(game.score())));
        let others = SameGame::after(&start, first[0].action).state;
        player.choose(&others, &mut stream());
        assert_eq!(asked(), 2);
    }

    #[test]
    fn a_player_that_is_only_asked_for_its_values_searches_once_a_game_too() {
        let player = LinePlayer::new(PUZZLE, Counted(Default::default()));
        let mut draws = stream();
        let mut game = SameGame::new(&Rules::default(), &mut draws);
        let first = player.values(&game.state(), &mut stream())[0];
        let start = game.state();
        while !game.is_over() {
            let action = player.rank(&game.state(), &mut stream())[0].action;
            game.step(action, &mut draws);
        }
        // A person may go back.
        assert_eq!(player.values(&start, &mut stream()), [first]);
        let asked = player.search.0.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!((asked, first.value), (1, f64::from(game.score())));
    }
}
