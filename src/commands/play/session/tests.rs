use super::super::toy::Toy;
use super::*;
use crate::eval::{deal, play_series};
use crate::games::match3::{Move, Rules};
use crate::games::{Game, Match3, Tetris, Text, tetris};
use crate::players::{self, BoxedPlayer};

/// A session with its player.
struct Watched(Session<Match3>, BoxedPlayer<Match3>);

impl Watched {
    fn new(player: &str, human: bool) -> Self {
        let rules = Rules::default();
        Self(Session::new(rules, 0, player, human, 1.0), players::parse::<Match3>(player, &rules).unwrap())
    }

    fn think(&mut self) {
        if let Some(Question { id, state, mut ties }) = self.0.question() {
            let ranked = self.1.rank(&state, &mut ties).unwrap();
            self.0.answer(Answer { id, ranked, ties });
        }
    }

    fn finish(&mut self) {
        for _ in 0..100_000 {
            self.think();
            self.0.tick(0.03);
        }
        assert!(matches!(self.0.phase(), Phase::Over));
    }

    fn left(&self) -> usize {
        self.0.moves_left().unwrap().0
    }

    fn obey(&mut self, commands: &[Command]) {
        commands.iter().for_each(|command| self.0.obey(*command));
    }

    fn moving(&self) -> bool {
        matches!(self.0.phase(), Phase::Moving(_))
    }
}

/// Swap of (2, 6) with (2, 7), from the cursor's first place.
const SWAP: [Command; 5] =
    [Command::Go(-1, 0), Command::Go(0, 1), Command::Go(0, 1), Command::Select, Command::Go(0, 1)];

#[test]
fn a_watched_game_is_the_one_that_is_evaluated_whatever_player_plays_it() {
    for player in ["random", "matching", "greedy", "network", "network+search:sims=20", "rollout:sims=40"] {
        let mut watched = Watched::new(player, false);
        watched.finish();
        let played = play_series(watched.1.as_mut(), &Rules::default(), 0, 1, |_| ()).unwrap();
        assert_eq!((watched.0.score(), watched.left()), (played[0].score, 0), "{player}");
        let line = format!("seed 0, {player}: {} points after 25 of 25 moves\n", played[0].score);
        assert_eq!(watched.0.results(), line);
    }
}

#[test]
fn a_choice_is_shown_before_it_is_played_and_points_come_when_all_has_fallen() {
    let mut watched = Watched::new("greedy", false);
    assert!(matches!(watched.0.phase(), Phase::Choosing) && watched.0.ranking().is_empty());
    watched.think();
    assert!(matches!(watched.0.phase(), Phase::Chosen) && watched.0.is_running());
    watched.0.tick(CHOICE - 0.01);
    assert!(!watched.moving());
    watched.0.tick(0.02);
    let best = watched.0.ranking()[0].action;
    assert!(watched.moving() && watched.0.starting() == Some(best));
    assert_eq!((watched.0.score(), watched.0.last(), watched.left()), (0, None, 24));
    for _ in 0..1_000 {
        watched.0.tick(0.01);
    }
    assert!(matches!(watched.0.phase(), Phase::Choosing) && watched.0.ranking().is_empty());
    assert_eq!((watched.0.score(), watched.0.last().map(|last| (last.action, last.points))), (40, Some((best, 40))));
}

#[test]
fn a_pause_stops_time_and_steps_go_on_by_a_board_or_a_move() {
    let mut watched = Watched::new("greedy", false);
    watched.think();
    watched.obey(&[Command::Pause]);
    watched.0.tick(1_000.0);
    assert!(matches!(watched.0.phase(), Phase::Chosen) && watched.0.is_paused() && !watched.0.is_running());
    let start = watched.0.board();
    watched.obey(&[Command::StepBoard]);
    assert!(watched.moving());
    let swapped = watched.0.board();
    watched.obey(&[Command::StepBoard]);
    assert!(start != swapped && swapped != watched.0.board());
    watched.obey(&[Command::StepMove]);
    assert!(matches!(watched.0.phase(), Phase::Choosing) && watched.0.score() == 40);
    watched.think();
    watched.obey(&[Command::StepMove]);
    assert_eq!((watched.left(), watched.0.score(), watched.0.is_paused()), (23, 56, true));
    watched.think();
    watched.obey(&[Command::Pause]);
    watched.0.tick(CHOICE);
    assert!(watched.moving() && watched.0.is_running());
}

#[test]
fn a_step_that_comes_while_the_player_thinks_is_made_when_it_has_answered() {
    for (step, left) in [(Command::StepBoard, None), (Command::StepMove, Some(40))] {
        let mut watched = Watched::new("greedy", false);
        let Question { id, state, mut ties } = watched.0.question().unwrap();
        watched.obey(&[step]);
        watched.0.tick(1_000.0);
        assert!(matches!(watched.0.phase(), Phase::Choosing) && watched.0.is_paused() && watched.0.is_step_due());
        let ranked = watched.1.rank(&state, &mut ties).unwrap();
        watched.0.answer(Answer { id, ranked, ties });
        assert_eq!((watched.left(), watched.moving()), (24, left.is_none()));
        assert_eq!(watched.0.last().map(|last| last.points), left);
        assert!(watched.0.is_paused() && !watched.0.is_step_due());
        // The next answer makes no step.
        if watched.moving() {
            watched.obey(&[Command::StepMove]);
        }
        watched.think();
        assert!(matches!(watched.0.phase(), Phase::Chosen));
    }
}

#[test]
fn a_pause_that_ends_and_another_game_take_back_a_step() {
    for command in [Command::Pause, Command::NextGame] {
        let mut watched = Watched::new("greedy", false);
        watched.obey(&[Command::StepMove, command]);
        assert!(!watched.0.is_step_due());
        watched.think();
        assert!(matches!(watched.0.phase(), Phase::Chosen) && watched.left() == 25);
    }
}

#[test]
fn a_persons_move_can_be_stopped_and_stepped_through() {
    let mut own = Watched::new("greedy", true);
    own.obey(&[Command::Pause]);
    own.obey(&SWAP);
    let swapped = own.0.board();
    own.0.tick(1_000.0);
    assert!(own.moving() && own.0.is_paused() && own.0.board() == swapped);
    own.obey(&[Command::StepBoard]);
    assert!(own.moving() && own.0.board() != swapped);
    own.obey(&[Command::StepMove]);
    assert!(matches!(own.0.phase(), Phase::Choosing));
    // A person chooses, so nothing can be stepped through.
    own.obey(&[Command::StepBoard, Command::StepMove]);
    assert_eq!((own.left(), own.0.score(), own.0.is_step_due()), (24, 16, false));
    own.obey(&[Command::Pause, Command::Select, Command::Go(-1, 0)]);
    own.0.tick(1_000.0);
    assert!(matches!(own.0.phase(), Phase::Choosing) && own.left() == 23);
}

#[test]
fn speed_is_doubled_and_halved_within_limits() {
    let mut watched = Watched::new("greedy", false);
    watched.obey(&[Command::Faster]);
    assert_eq!(watched.0.speed(), 2.0);
    watched.think();
    watched.0.tick(CHOICE / 2.0);
    assert!(watched.moving());
    watched.obey(&[Command::Faster; 50]);
    assert_eq!(watched.0.speed(), *SPEEDS.end());
    watched.obey(&[Command::Slower; 50]);
    assert_eq!(watched.0.speed(), *SPEEDS.start());

    let mut extreme = Session::<Match3>::new(Rules::default(), 0, "greedy", false, 1e300);
    extreme.obey(Command::Faster);
    assert_eq!(extreme.speed(), 1e300);
    watched.0 = extreme;
    watched.finish();
}

#[test]
fn the_next_game_is_that_of_the_next_seed_and_answers_to_the_last_one_are_ignored() {
    let mut watched = Watched::new("greedy", false);
    watched.think();
    watched.obey(&[Command::StepMove]);
    let late = watched.0.question().unwrap();
    assert!(watched.0.is_thinking());
    watched.obey(&[Command::NextGame]);
    assert_eq!((watched.0.seed(), watched.0.score(), watched.left()), (1, 0, 25));
    assert_eq!(watched.0.board(), Picture::of(&deal::<Match3>(&Rules::default(), 1).0.board()));
    let ranked = vec![ActionValue { action: 0, value: 1.0 }];
    watched.0.answer(Answer { id: late.id, ranked, ties: late.ties });
    assert!(matches!(watched.0.phase(), Phase::Choosing) && watched.0.ranking().is_empty());
    assert_eq!(watched.0.results(), "seed 0, greedy: 40 points after 1 of 25 moves\n");
    assert!(watched.0.question().is_some_and(|question| question.id != late.id));
}

#[test]
fn a_person_swaps_with_the_cursor_and_a_swap_without_a_match_costs_points() {
    let mut own = Watched::new("greedy", true);
    own.obey(&SWAP);
    assert!(own.moving() && own.0.starting() == Move { x: 2, y: 6, vertical: true }.action());
    // Nothing is swapped while tokens fall.
    own.obey(&[Command::Select, Command::Go(1, 0)]);
    assert_eq!((own.left(), own.0.hand().unwrap().selected), (24, false));
    own.0.tick(1_000.0);
    assert_eq!((own.0.score(), own.0.hand().unwrap().cursor), (16, (3, 7)));
    // To the left, the other cell names the move.
    own.obey(&[Command::Select, Command::Go(-1, 0)]);
    assert_eq!(own.0.starting(), Move { x: 2, y: 7, vertical: false }.action());
    own.0.tick(1_000.0);
    assert_eq!((own.0.score(), own.0.last().unwrap().points, own.left()), (11, -5, 23));
    assert_eq!(own.0.results(), "seed 0, you: 11 points after 2 of 25 moves\n");
}

#[test]
fn a_person_may_unselect_and_the_cursor_stays_on_the_board() {
    let mut own = Watched::new("greedy", true);
    own.obey(&[Command::Go(-1, 0); 20]);
    own.obey(&[Command::Select, Command::Go(-1, 0), Command::Unselect, Command::Go(0, -1)]);
    assert_eq!(own.0.hand(), Some(Hand { cursor: (0, 3), selected: false, steered: None, hint: false }));
    own.obey(&[Command::Select, Command::Select, Command::Go(0, 1)]);
    assert_eq!((own.0.hand().unwrap().cursor, own.left()), ((0, 4), 25));
    own.obey(&[Command::Go(1, 0); 20]);
    own.obey(&[Command::Go(0, 1); 20]);
    assert_eq!(own.0.hand().unwrap().cursor, (7, 9));
}

#[test]
fn the_player_is_asked_for_a_hint_only_where_the_person_wants_one() {
    let mut own = Watched::new("greedy", true);
    assert!(own.0.question().is_none());
    own.obey(&[Command::Hint]);
    own.think();
    assert_eq!(own.0.ranking()[0].action, Move { x: 3, y: 0, vertical: false }.action().unwrap());
    assert!(matches!(own.0.phase(), Phase::Choosing));
    own.obey(&[Command::Hint]);
    assert!(own.0.ranking().is_empty());
    // A hint is kept until a move.
    own.obey(&[Command::Hint]);
    assert!(own.0.question().is_none() && !own.0.ranking().is_empty());
    own.obey(&SWAP);
    assert!(own.0.ranking().is_empty());
}

#[test]
fn a_falling_piece_goes_where_a_hint_puts_it() {
    let mut own = Session::<Tetris>::new(tetris::Rules::new(8).unwrap(), 2, "it", true, 1.0);
    let begin = own.steered().unwrap();
    let answer = |session: &mut Session<Tetris>, action: usize| {
        let Question { id, ties, .. } = session.question().unwrap();
        session.answer(Answer { id, ties, ranked: vec![ActionValue { action, value: 1.0 }] });
    };
    own.obey(Command::Hint);
    answer(&mut own, begin + 3);
    assert_eq!(own.steered(), Some(begin + 3));
    own.obey(Command::Go(-1, 0));
    assert_eq!(own.steered(), Some(begin + 2));
    [Command::Hint, Command::Hint].into_iter().for_each(|hint| own.obey(hint));
    assert_eq!(own.steered(), Some(begin + 3), "the same hint again");
    own.obey(Command::Select);
    (0..1_000).for_each(|_| own.tick(0.01));
    let begin = own.steered().unwrap();
    own.obey(Command::Hint);
    own.obey(Command::Go(1, 0));
    answer(&mut own, begin + 3);
    assert_eq!(own.steered(), Some(begin + 1), "it was steered while the player thought");
    own.obey(Command::Select);
    (0..1_000).for_each(|_| own.tick(0.01));
    let begin = own.steered();
    own.obey(Command::Hint);
    let Question { id, ties, .. } = own.question().unwrap();
    own.obey(Command::Hint);
    own.answer(Answer { id, ties, ranked: vec![ActionValue { action: 0, value: 1.0 }] });
    assert_eq!(own.steered(), begin, "a hint that is not wanted any more");
}

#[test]
fn a_person_sees_which_moves_there_are_none_of_and_which_are_not_allowed() {
    // c b a above b b #; tokens swap only with their right neighbour.
    let mut own = Session::<Toy>::new((), 0, "random", true, 1.0);
    assert_eq!(own.hand().unwrap().cursor, (0, 0));
    own.obey(Command::Select);
    own.obey(Command::Go(0, 1));
    assert_eq!(own.notice(), Some("no move is of the cells (0, 0) and (1, 0)"));
    // The cell stays selected; a direction beyond the board has no notice.
    own.obey(Command::Go(-1, 0));
    assert!(own.notice().is_none() && own.hand().unwrap().selected);
    own.obey(Command::Unselect);
    [Command::Go(0, 1), Command::Select, Command::Go(1, 0)].into_iter().for_each(|command| own.obey(command));
    assert_eq!(own.notice(), Some("the rules do not allow toy move 2 now"));
    assert!(matches!(own.phase(), Phase::Choosing) && own.results().is_empty());
    own.obey(Command::Unselect);
    assert!(own.notice().is_none());
    [Command::Go(1, -1), Command::Select, Command::Go(1, 0)].into_iter().for_each(|command| own.obey(command));
    assert_eq!((own.starting(), own.moves_left()), (Some(1), None));
    assert_eq!(own.results(), "seed 0, you: 0 points after 1 move\n");
}

#[test]
fn a_game_without_a_number_of_moves_ends_by_its_rules() {
    let mut watched = Session::<Toy>::new((), 0, "random", false, 1.0);
    for action in [0, 1, 0] {
        assert!(matches!(watched.phase(), Phase::Choosing));
        let Question { id, ties, .. } = watched.question().unwrap();
        watched.answer(Answer { id, ranked: vec![ActionValue { action, value: 0.0 }], ties });
        watched.tick(1_000.0);
    }
    assert!(matches!(watched.phase(), Phase::Over) && watched.board() == Picture::of("abc\nbb#"));
    assert_eq!(watched.results(), "seed 0, random: 1 points after 3 moves\n");
    watched.obey(Command::NextGame);
    assert!(watched.question().is_some() && watched.board() == Picture::of("cba\nbb#"));
    assert_eq!(watched.results(), "seed 0, random: 1 points after 3 moves\n");
}

#[test]
fn a_falling_piece_is_moved_turned_and_dropped() {
    let rules = tetris::Rules::new(8).unwrap();
    let (mut game, mut random, _) = deal::<Tetris>(&rules, 2);
    let mut own = Session::<Tetris>::new(rules, 2, "random", true, 1.0);
    let piece = |session: &Session<Tetris>| {
        let board = Picture::of(&Tetris::steered(&session.episode.state(), session.steered().unwrap()));
        board.cells().filter(|cell| cell.2.is_alphabetic()).collect::<Vec<_>>()
    };
    for (turns, moves) in [(0, -20), (1, 20), (2, 1), (5, 0)] {
        assert_eq!(piece(&own).len(), 4, "the piece is above the wall");
        let first = piece(&own);
        (0..turns).for_each(|_| own.obey(Command::Go(0, -1)));
        (0..i32::abs(moves)).for_each(|_| own.obey(Command::Go(moves.signum() as isize, 0)));
        assert!(moves == 0 || piece(&own) != first);
        let action = own.steered().unwrap();
        own.obey(if turns == 1 { Command::Go(0, 1) } else { Command::Select });
        assert!(matches!(own.phase(), Phase::Moving(_)));
        game.step(action, &mut random);
        (0..1_000).for_each(|_| own.tick(0.01));
        assert!(matches!(own.phase(), Phase::Choosing));
        let walls = |board: &str| board.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(walls(&Tetris::board(&own.episode.state())), walls(&Tetris::board(&game.state())));
    }
    // The first piece fills the lower left corner.
    assert!(Tetris::board(&game.state()).lines().last().unwrap().starts_with('#'));
}
