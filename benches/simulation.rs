//! Moves per second of each game on one core, including new games.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use matchq::games::match3::Rules;
use matchq::games::{Bejeweled, Bilging, Game, Image, Match3, Tetris, TileMatch, offered, weighed};
use matchq::players::{Linear, Roster as _};
use matchq::random::{Draw, Role, Stream};

/// Moves of one measured call.
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

fn simulation<G: Game>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("simulation of {}", G::NAME));
    group.throughput(Throughput::Elements(MOVES));
    for (name, kind) in [
        ("random swaps", Play::Random),
        ("random swaps and the matching mask", Play::RandomAndMask),
        ("matching moves", Play::Matching),
    ] {
        let mut stream = Stream::new(1, Role::Game, 0);
        let mut game = G::new(&G::Rules::default(), &mut stream);
        group.bench_function(name, |bencher| {
            bencher.iter(|| play(kind, &mut game, &mut stream));
        });
    }
    group.finish();
}

/// Placements of Tetris's linear players on twenty rows; each values all of a piece's placements.
fn linear_players(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("placements of tetris");
    group.throughput(Throughput::Elements(MOVES));
    let rules = <Tetris as Game>::Rules::default();
    for known in Tetris::PRESETS {
        let (name, player) = (known.name, Linear::of::<Tetris>(known).expect("it is known"));
        let mut seed = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                seed += 1;
                weighed::play::<Tetris>(&rules, player.terms(), &mut Stream::new(seed, Role::Game, 0), MOVES).score
            });
        });
    }
    group.finish();
}

fn encoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encoding");
    group.throughput(Throughput::Elements(1));
    let state = Match3::new(&Rules::default(), &mut Stream::new(1, Role::Game, 0)).state();
    let (mut image, mut scalars) = ([0.0; 5 * 10 * 8], [0.0]);
    for (name, symmetry) in [("identity", 0), ("mirrored and recoloured", 47)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                Match3::encode(black_box(&state), symmetry, &mut image, &mut scalars);
                black_box(&image);
            });
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    simulation::<Match3>,
    simulation::<Bilging>,
    simulation::<Bejeweled>,
    simulation::<TileMatch>,
    linear_players,
    encoding
);
criterion_main!(benches);
