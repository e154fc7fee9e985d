//! What holds of every player.

use matchq_players::eval::{play_bounded, play_series};
use matchq_players::games::match3::{EFFECTIVE, MATCHING, Match3, Rules, SETUPS, State};
use matchq_players::games::{Game, MaskKind, offered};
use matchq_players::random::{Draw as _, Role, Stream};
use matchq_players::{ForGame, Playable, Player, Valued, names, parse as parse_for, players, with_game};
use rayon::ThreadPoolBuilder;

use super::{ALL, FOUR, position, ties};

#[test]
fn a_game_is_cut_after_as_many_moves_as_are_allowed_and_says_so() {
    let mut player = parse_for::<Match3>("greedy", &Rules::default()).unwrap();
    let whole = play_series(&mut *player, &Rules::default(), 5, 3, |_| ()).unwrap();
    for (longest, is_over) in [(1, false), (24, false), (25, true), (26, true)] {
        let cut = play_bounded(&mut *player, &Rules::default(), 5, 3, longest, |_| true).unwrap().unwrap();
        for (cut, whole) in cut.iter().zip(&whole) {
            assert_eq!((cut.actions.len() as u64, cut.is_over), (longest.min(25), is_over));
            assert_eq!(cut.actions, whole.actions[..cut.actions.len()]);
            assert!(!is_over || cut.score == whole.score);
        }
    }
}

#[test]
fn nothing_is_forecast_after_the_end() {
    struct Check;
    impl ForGame for Check {
        type Output = bool;
        fn run<G: Playable>(self) -> bool {
            let Some(forecast) = G::FORECAST else { return false };
            let mut stream = Stream::new(2, Role::Game, 0);
            let mut game = G::new(&G::Rules::default(), &mut stream);
            while !game.is_over() {
                let (mask, _) = offered::<G>(&game.state(), MaskKind::default_of::<G>());
                game.step(mask.nth(stream.below(mask.count() as u32) as usize).unwrap(), &mut stream);
            }
            assert_eq!((forecast.points)(&game.state()), 0.0, "{}", G::NAME);
            true
        }
    }
    let checked = names().iter().filter(|name| with_game(name, Check).unwrap()).count();
    assert!(checked >= 2, "match-3 and Bejeweled have forecasts");
}

#[test]
fn where_nothing_matches_every_player_plays_any_effective_swap() {
    let state = position(&[(0, 0, 'a'), (4, 4, 'b')], 25);
    let effective: Vec<usize> = Match3::mask(&state, EFFECTIVE).iter().collect();
    assert_eq!(effective.len(), 6);
    // Match-3 has no named linear weights.
    let names = players::<Match3>().into_iter().map(|entry| entry.name);
    let names = names.filter(|name| !["random", "linear"].contains(name));
    for text in names.chain(["rollout:mask=setups"]) {
        let mut player = parse_for::<Match3>(text, &Rules::default()).unwrap();
        let mut streams: Vec<Stream> = (0..200).map(ties).collect();
        let mut chosen = player.act(&[state; 200], &mut streams).unwrap();
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen, effective, "{text}");
    }
}

#[test]
fn a_player_acts_by_the_first_of_its_ranked_moves() {
    let rules = Rules::default();
    let positions = (0..6).map(|luck| Match3::new(&rules, &mut Stream::new(4, Role::Game, luck)).state());
    for state in positions.chain([position(&[(0, 0, 'a'), (4, 4, 'b')], 25), position(&FOUR, 1)]) {
        for text in ALL {
            let mut player = parse_for::<Match3>(text, &rules).unwrap();
            let ranked = player.rank(&state, &mut ties(1)).unwrap();
            assert_eq!(player.act(&[state], &mut [ties(1)]).unwrap(), [ranked[0].action], "{text}");
            let mut actions: Vec<usize> = ranked.iter().map(|valued| valued.action).collect();
            actions.sort_unstable();
            let mask = match text {
                "random" => MaskKind::LEGAL,
                _ if ["setups", "search", "best"].iter().any(|name| text.contains(name)) => SETUPS,
                _ => MATCHING,
            };
            let offered: Vec<usize> = offered::<Match3>(&state, mask).0.iter().collect();
            // A search omits moves beyond its budget, and may value a dropped move above a kept
            // one.
            if text.contains("sims") {
                assert!(actions.iter().all(|action| offered.contains(action)), "{text}");
            } else {
                assert_eq!(actions, offered, "{text}");
                assert!(ranked.is_sorted_by(|a, b| a.value >= b.value), "{text}: {ranked:?}");
            }
        }
    }
}

#[test]
fn a_game_is_played_the_same_alone_in_a_batch_and_on_any_number_of_threads() {
    let rules = Rules::default();
    for text in ALL {
        let series = |threads: usize, first: u128, count: u64| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let play =
                || play_series(&mut *parse_for::<Match3>(text, &rules).unwrap(), &rules, first, count, |_| ()).unwrap();
            pool.install(play)
        };
        let together = series(1, 0, 4);
        assert_eq!(together, series(3, 0, 4), "{text}");
        let alone: Vec<_> = (0..4).flat_map(|seed| series(2, seed, 1)).collect();
        assert_eq!(together, alone, "{text}");
    }
}

/// Plays the first move of the mask and keeps its positions and streams.
#[derive(Default)]
struct Spy(Vec<(State, Stream)>);

impl Player<Match3> for Spy {
    fn name(&self) -> &str {
        "spy"
    }

    fn act(&mut self, states: &[State], ties: &mut [Stream]) -> matchq_players::error::Result<Vec<usize>> {
        self.0.extend(states.iter().copied().zip(ties.iter().cloned()));
        Ok(states.iter().map(|state| Match3::mask(state, MATCHING).nth(0).unwrap()).collect())
    }

    fn rank(&mut self, _: &State, _: &mut Stream) -> matchq_players::error::Result<Vec<Valued>> {
        unreachable!("a series only asks for actions")
    }
}

#[test]
fn a_player_is_given_the_position_and_a_stream_that_the_games_luck_has_no_part_in() {
    let mut spy = Spy::default();
    play_series(&mut spy, &Rules::default(), 5, 2, |_| ()).unwrap();
    assert_eq!(spy.0.len(), 2 * 25);
    for (index, (_, stream)) in spy.0.iter().enumerate() {
        assert_eq!(stream, &Stream::new(5 + index as u64 % 2, Role::Tie, 0));
    }
}

#[test]
fn the_same_position_gets_the_same_choice_whatever_games_were_played_before() {
    let rules = Rules::default();
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    for text in ALL {
        let mut fresh = parse_for::<Match3>(text, &rules).unwrap();
        let mut used = parse_for::<Match3>(text, &rules).unwrap();
        play_series(&mut *used, &rules, 3, 2, |_| ()).unwrap();
        let choose = |player: &mut dyn Player<Match3>| player.act(&[state; 3], &mut [0, 1, 2].map(ties)).unwrap();
        assert_eq!(choose(&mut *fresh), choose(&mut *used), "{text}");
    }
}

#[test]
fn the_same_games_are_played_again_with_the_same_choices_among_ties() {
    let rules = Rules::default();
    let play =
        |first| play_series(&mut *parse_for::<Match3>("matching", &rules).unwrap(), &rules, first, 3, |_| ()).unwrap();
    assert_eq!(play(7), play(7));
    // Seeds that differ only in their upper half have other ties.
    assert_ne!(play(7)[0].actions, play(7 + (1 << 64))[0].actions);
}
