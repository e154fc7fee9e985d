//! Moves per second of each game on one core, including new games.

mod timer;

use std::hint::black_box;

use matchq::games::match3::Rules;
use matchq::games::{Bejeweled, Bilging, Game, Image, Match3, SameGame, Tetris, TileMatch, offered, weighed};
use matchq::players::{Linear, Roster as _, parse};
use matchq::random::{Draw, Role, Stream};

use timer::Timer;

/// Moves, or boards, of one measured call.
const MOVES: u64 = 1000;

/// Kind of moves.
#[derive(Clone, Copy)]
enum Play {
    /// Random actions.
    Random,
    /// Random actions, after finding the default mask.
    RandomAndMask,
    /// Random actions of the default mask.
    Matching,
}

/// Plays [`MOVES`] moves; returns the points.
fn play<G: Game>(play: Play, game: &mut G, stream: &mut Stream) -> f32 {
    let mut points = 0.0;
    for _ in 0..MOVES {
        if game.is_over() {
            *game = G::new(&G::Rules::default(), stream);
        }
        let any = |stream: &mut Stream| stream.below(G::ACTIONS as u32) as usize;
        let mask = |game: &G| offered::<G>(&game.state(), matchq::games::MaskKind::default_of::<G>()).0;
        let action = match play {
            Play::Random => any(stream),
            Play::RandomAndMask => {
                black_box(mask(game));
                any(stream)
            }
            Play::Matching => {
                let mask = mask(game);
                let drawn = mask.nth(stream.below(mask.count() as u32) as usize);
                drawn.expect("a mask is never empty")
            }
        };
        points += game.step(action, stream).reward;
    }
    points
}

/// Kinds of moves with their names.
const SWAPS: [(&str, Play); 3] = [
    ("random swaps", Play::Random),
    ("random swaps and the matching mask", Play::RandomAndMask),
    ("matching moves", Play::Matching),
];
const LEGAL: [(&str, Play); 1] = [("random legal moves", Play::Matching)];

fn simulation<G: Game>(timer: &Timer, kinds: &[(&str, Play)]) {
    for (name, kind) in kinds.iter().copied() {
        let mut stream = Stream::new(1, Role::Game, 0);
        let mut game = G::new(&G::Rules::default(), &mut stream);
        timer.time(&format!("simulation of {}: {name}", G::NAME), MOVES, || play(kind, &mut game, &mut stream));
    }
}

/// Placements of Tetris's linear players on twenty rows; each values all of a piece's placements.
fn linear_players(timer: &Timer) {
    let rules = <Tetris as Game>::Rules::default();
    for known in Tetris::PRESETS {
        let (name, player) = (known.name, Linear::of::<Tetris>(known).expect("it is known"));
        let mut seed = 0;
        timer.time(&format!("placements of tetris: {name}"), MOVES, || {
            seed += 1;
            weighed::play::<Tetris>(&rules, player.terms(), &mut Stream::new(seed, Role::Game, 0), MOVES).score
        });
    }
}

/// Changes of a line of SameGame, each played again to the end or to where the line goes on as before.
fn annealing(timer: &Timer) {
    const CHANGES: u64 = 20_000;
    let rules = <SameGame as Game>::Rules::default();
    let mut player = parse::<SameGame>(&format!("anneal:changes={CHANGES}:first=0"), &rules).expect("it is known");
    let mut seed = 0;
    timer.time("changes of samegame's annealing", CHANGES, || {
        seed += 1;
        let state = SameGame::new(&rules, &mut Stream::new(seed, Role::Game, 0)).state();
        player.act(&[state], &mut [Stream::new(seed, Role::Tie, 0)]).expect("it plays")
    });
}

fn encoding(timer: &Timer) {
    let state = Match3::new(&Rules::default(), &mut Stream::new(1, Role::Game, 0)).state();
    let (mut image, mut scalars) = ([0.0; 5 * 10 * 8], [0.0]);
    for (name, symmetry) in [("identity", 0), ("mirrored and recoloured", 47)] {
        timer.time(&format!("encoding: {name}"), MOVES, || {
            for _ in 0..MOVES {
                Match3::encode(black_box(&state), symmetry, &mut image, &mut scalars);
                black_box(&image);
            }
        });
    }
}

fn main() {
    let timer = Timer::from_arguments();
    simulation::<Match3>(&timer, &SWAPS);
    simulation::<Bilging>(&timer, &SWAPS);
    simulation::<Bejeweled>(&timer, &SWAPS);
    simulation::<TileMatch>(&timer, &SWAPS);
    simulation::<SameGame>(&timer, &LEGAL);
    annealing(&timer);
    linear_players(&timer);
    encoding(&timer);
}
