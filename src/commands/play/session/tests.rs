use super::*;
use crate::eval::{deal, play_series};
use crate::games::match3::Rules;
use crate::games::{Match3, Tetris, tetris};
use crate::players::{self, BoxedPlayer};

/// A session with its player.
struct Watched(Session<Match3>, BoxedPlayer<Match3>);

impl Watched {
    fn new(player: &str) -> Self {
        let rules = Rules::default();
        Self(Session::new(rules, 0, player, 1.0), players::parse::<Match3>(player, &rules).unwrap())
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
        assert!(matches!(self.0.phase, Phase::Over));
    }

    fn left(&self) -> usize {
        self.0.moves_left().unwrap().0
    }

    fn obey(&mut self, commands: &[Command]) {
        commands.iter().for_each(|command| self.0.obey(*command));
    }

    fn moving(&self) -> bool {
        matches!(self.0.phase, Phase::Moving(_))
    }
}

#[test]
fn a_watched_game_is_the_one_that_is_evaluated_whatever_player_plays_it() {
    for player in ["random", "matching", "greedy", "network", "network+search:sims=20", "rollout:sims=40"] {
        let mut watched = Watched::new(player);
        watched.finish();
        let played = play_series(watched.1.as_mut(), &Rules::default(), 0, 1, |_| ()).unwrap();
        assert_eq!((watched.0.score, watched.left()), (played[0].score, 0), "{player}");
        let line = format!("seed 0, {player}: {} points after 25 of 25 moves\n", played[0].score);
        assert_eq!(watched.0.results(), line);
    }
}

#[test]
fn a_choice_is_shown_before_it_is_played_and_points_come_when_all_has_fallen() {
    let mut watched = Watched::new("greedy");
    assert!(matches!(watched.0.phase, Phase::Asking) && watched.0.ranking.is_empty());
    watched.think();
    assert!(matches!(watched.0.phase, Phase::Chosen) && watched.0.is_running());
    watched.0.tick(CHOICE - 0.01);
    assert!(!watched.moving());
    watched.0.tick(0.02);
    let best = watched.0.ranking[0].action;
    assert!(watched.moving() && watched.0.choice().is_some_and(|choice| choice.action == best));
    assert_eq!((watched.0.score, &*watched.0.last, watched.left()), (0, "", 24));
    for _ in 0..1_000 {
        watched.0.tick(0.01);
    }
    assert!(matches!(watched.0.phase, Phase::Asking) && watched.0.ranking.is_empty());
    assert!(watched.0.score == 40 && watched.0.last.starts_with("+40: swap "), "{}", watched.0.last);
}

#[test]
fn a_pause_stops_time_and_steps_go_on_by_a_board_or_a_move() {
    let mut watched = Watched::new("greedy");
    watched.think();
    watched.obey(&[Command::Pause]);
    watched.0.tick(1_000.0);
    assert!(matches!(watched.0.phase, Phase::Chosen) && watched.0.paused && !watched.0.is_running());
    let start = watched.0.board();
    watched.obey(&[Command::StepBoard]);
    assert!(watched.moving());
    let swapped = watched.0.board();
    watched.obey(&[Command::StepBoard]);
    assert!(start != swapped && swapped != watched.0.board());
    watched.obey(&[Command::StepMove]);
    assert!(matches!(watched.0.phase, Phase::Asking) && watched.0.score == 40);
    watched.think();
    watched.obey(&[Command::StepMove]);
    assert_eq!((watched.left(), watched.0.score, watched.0.paused), (23, 56, true));
    watched.think();
    watched.obey(&[Command::Pause]);
    watched.0.tick(CHOICE);
    assert!(watched.moving() && watched.0.is_running());
}

#[test]
fn a_step_that_comes_while_the_player_thinks_is_made_when_it_has_answered() {
    for (step, score) in [(Command::StepBoard, 0), (Command::StepMove, 40)] {
        let mut watched = Watched::new("greedy");
        let Question { id, state, mut ties } = watched.0.question().unwrap();
        watched.obey(&[step]);
        watched.0.tick(1_000.0);
        assert!(matches!(watched.0.phase, Phase::Thinking) && watched.0.paused && watched.0.due.is_some());
        let ranked = watched.1.rank(&state, &mut ties).unwrap();
        watched.0.answer(Answer { id, ranked, ties });
        assert_eq!((watched.left(), watched.moving(), watched.0.score), (24, score == 0, score));
        assert!(watched.0.paused && watched.0.due.is_none());
        // The next answer makes no step.
        if watched.moving() {
            watched.obey(&[Command::StepMove]);
        }
        watched.think();
        assert!(matches!(watched.0.phase, Phase::Chosen));
    }
}

#[test]
fn a_pause_that_ends_and_another_game_take_back_a_step() {
    for command in [Command::Pause, Command::NextGame] {
        let mut watched = Watched::new("greedy");
        watched.obey(&[Command::StepMove, command]);
        assert!(watched.0.due.is_none());
        watched.think();
        assert!(matches!(watched.0.phase, Phase::Chosen) && watched.left() == 25);
    }
}

#[test]
fn speed_is_doubled_and_halved_within_limits() {
    let mut watched = Watched::new("greedy");
    watched.obey(&[Command::Faster]);
    assert_eq!(watched.0.speed, 2.0);
    watched.think();
    watched.0.tick(CHOICE / 2.0);
    assert!(watched.moving());
    watched.obey(&[Command::Faster; 50]);
    assert_eq!(watched.0.speed, SPEEDS.1);
    watched.obey(&[Command::Slower; 50]);
    assert_eq!(watched.0.speed, SPEEDS.0);

    let mut extreme = Session::<Match3>::new(Rules::default(), 0, "greedy", 1e300);
    extreme.obey(Command::Faster);
    assert_eq!(extreme.speed, 1e300);
    watched.0 = extreme;
    watched.finish();
}

#[test]
fn the_next_game_is_that_of_the_next_seed_and_answers_to_the_last_one_are_ignored() {
    let mut watched = Watched::new("greedy");
    watched.think();
    watched.obey(&[Command::StepMove]);
    let late = watched.0.question().unwrap();
    assert!(matches!(watched.0.phase, Phase::Thinking) && watched.0.is_running());
    watched.obey(&[Command::NextGame]);
    assert_eq!((watched.0.seed, watched.0.score, watched.left()), (1, 0, 25));
    assert_eq!(watched.0.board(), deal::<Match3>(&Rules::default(), 1).0.board());
    assert_eq!(watched.0.results(), "seed 0, greedy: 40 points after 1 of 25 moves\n");
    let answer = |id| Answer { id, ranked: vec![Valued::new(0, 1.0)], ties: late.ties.clone() };
    watched.0.answer(answer(late.id));
    assert!(matches!(watched.0.phase, Phase::Asking));
    let question = watched.0.question().unwrap();
    watched.0.answer(answer(late.id));
    assert!(matches!(watched.0.phase, Phase::Thinking) && watched.0.ranking.is_empty());
    watched.0.answer(answer(question.id));
    assert!(matches!(watched.0.phase, Phase::Chosen) && watched.0.ranking.len() == 1);
}

#[test]
fn a_game_without_a_number_of_moves_ends_by_its_rules() {
    // Pieces are put into the left columns until the wall is full.
    let mut watched = Session::<Tetris>::new(tetris::Rules::new(4).unwrap(), 0, "it", 1.0);
    assert_eq!(watched.moves_left(), None);
    let mut moves = 0;
    while let Some(Question { id, ties, .. }) = watched.question() {
        watched.answer(Answer { id, ranked: vec![Valued::new(0, 0.0)], ties });
        watched.tick(1_000.0);
        moves += 1;
        let told = if moves == 1 { "1 move".to_owned() } else { format!("{moves} moves") };
        assert_eq!(watched.results(), format!("seed 0, it: 0 lines after {told}\n"));
    }
    assert!(matches!(watched.phase, Phase::Over) && moves > 1);
    let results = watched.results();
    watched.obey(Command::NextGame);
    assert!(matches!(watched.phase, Phase::Asking) && !watched.board().contains('#'));
    assert_eq!(watched.results(), results);
}

#[test]
fn the_letters_of_landed_pieces_stay_on_the_board() {
    let mut watched = Session::<Tetris>::new(tetris::Rules::new(8).unwrap(), 2, "it", 1.0);
    let Question { id, ties, .. } = watched.question().unwrap();
    watched.answer(Answer { id, ranked: vec![Valued::new(0, 0.0)], ties });
    let piece = watched.board().chars().find(|letter| letter.is_alphabetic()).unwrap();
    let cells = watched.choice().unwrap().cells.clone();
    watched.obey(Command::StepMove);
    let board = watched.board();
    assert!(watched.choice().is_none() && cells.len() == 4);
    for (row, column) in cells {
        assert_eq!(board.lines().nth(row).and_then(|row| row.chars().nth(column)), Some(piece), "{board}");
    }
}
