//! A vector of games against single games, at any number of threads.

use matchq_games::match3::Rules;
use matchq_games::random::{Draw, Role, Stream};
use matchq_games::{Game, Games, Match3, Outcome};

type Outcomes = Vec<Outcome<<Match3 as Game>::State>>;

/// Enough games for several tasks.
const GAMES: usize = 300;

fn outcomes(steps: usize) -> (Games<Match3>, Vec<Outcomes>) {
    let mut games = Games::<Match3>::new(Rules::default(), GAMES, 4);
    let all = go_on(&mut games, &mut Stream::new(4, Role::Explore, 0), steps);
    (games, all)
}

fn go_on(games: &mut Games<Match3>, choice: &mut Stream, steps: usize) -> Vec<Outcomes> {
    let mut out = vec![];
    (0..steps)
        .map(|_| {
            let actions: Vec<usize> = (0..GAMES).map(|_| choice.below(142) as usize).collect();
            games.step(&actions, &mut out);
            out.clone()
        })
        .collect()
}

#[test]
fn games_are_the_same_at_any_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| outcomes(60).1)
    };
    let one = with_threads(1);
    assert_eq!(with_threads(2), one);
    assert_eq!(with_threads(5), one);
}

#[test]
fn each_game_is_that_of_its_own_stream_and_is_followed_by_a_new_one() {
    let (games, all) = outcomes(60);
    assert_eq!((games.len(), games.is_empty()), (GAMES, false));
    for index in [0, 1, 299] {
        let mut choice = Stream::new(4, Role::Explore, 0);
        let mut stream = Stream::new(4, Role::Game, index as u64);
        let mut game = Match3::new(&Rules::default(), &mut stream);
        for (number, outcomes) in all.iter().enumerate() {
            let actions: Vec<usize> = (0..GAMES).map(|_| choice.below(142) as usize).collect();
            let step = game.step(actions[index], &mut stream);
            let score = step.terminal.then(|| game.score());
            let (reward, terminal, next) = (step.reward, step.terminal, game.state());
            assert_eq!(outcomes[index], Outcome { reward, terminal, next, score });
            assert_eq!(terminal, number % 25 == 24);
            if terminal {
                game = Match3::new(&Rules::default(), &mut stream);
            }
        }
        assert_eq!(games.states().nth(index), Some(game.state()));
    }
}

#[test]
fn saved_games_go_on_where_they_were() {
    let mut games = Games::<Match3>::new(Rules::default(), GAMES, 8);
    let mut choice = Stream::new(8, Role::Explore, 0);
    go_on(&mut games, &mut choice, 37);
    let saved = postcard::to_stdvec(&games).unwrap();
    let mut restored: Games<Match3> = postcard::from_bytes(&saved).unwrap();
    let expected = go_on(&mut games, &mut choice.clone(), 30);
    assert_eq!(go_on(&mut restored, &mut choice, 30), expected);
}
