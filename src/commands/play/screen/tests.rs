use std::collections::HashSet;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::super::session::{Answer, Command, Question};
use super::*;
use crate::games::match3::Move;
use crate::games::{Bejeweled, Bilging, Match3, SameGame, Tetris, Text as _, TileMatch, tetris};
use crate::players::Valued;

fn session() -> Session<Match3> {
    Session::new(Default::default(), 0, "greedy", 1.0)
}

/// A session after an answer with made-up values of two moves.
fn answered() -> Session<Match3> {
    let mut session = session();
    let ranked = [(Move { x: 2, y: 6, vertical: true }, 123.4), (Move { x: 3, y: 0, vertical: false }, -5.0)];
    let ranked = ranked.map(|(at, value)| Valued::new(at.action().unwrap(), value));
    let Question { id, ties, .. } = session.question().unwrap();
    session.answer(Answer { id, ranked: ranked.to_vec(), ties });
    session
}

fn drawn<G: Playable>(session: &Session<G>, (width, height): (u16, u16), colours: bool) -> (Buffer, bool) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut seen = false;
    terminal.draw(|frame| seen = draw(frame, session, colours)).unwrap();
    (terminal.backend().buffer().clone(), seen)
}

fn lines<G: Playable>(session: &Session<G>, size: (u16, u16)) -> Vec<String> {
    let (buffer, _) = drawn(session, size, true);
    let row = |cells: &[ratatui::buffer::Cell]| cells.iter().map(|cell| cell.symbol()).collect::<String>();
    buffer.content.chunks(size.0.into()).map(|cells| row(cells).trim_end().to_owned()).collect()
}

#[test]
fn the_board_with_its_marked_best_move_is_beside_the_score_and_the_values() {
    let shown = lines(&answered(), (80, 24));
    // The second best move is only in the list.
    let expected = [
        "  0 1 2 3 4 5 6 7   player  greedy",
        "0 d d a # c b d c   seed    0",
        "1 d c # c # d c b   score   0 points",
        "2 a # c c # b b c   moves   25 of 25 left",
        "3 a # a b # # # a   speed   1x",
        "4 c d c # # d # d   last",
        "5 d # c # # b a #   now     the best is chosen",
        "6 d # #*# # a d c     value best moves",
        "7 b # c*a c b # b     123.4 swap column 2, rows 6 and 7",
        "8 b b # d # a c #      -5.0 swap row 0, columns 3 and 4",
        "9 d a c # c # a #",
    ];
    assert_eq!(shown[..11], expected);
    assert!(shown[11..23].iter().all(String::is_empty));
    assert_eq!(shown[23], KEYS);
}

#[test]
fn a_swap_is_shown_then_its_holes_and_at_last_its_points() {
    let mut session = answered();
    session.obey(Command::StepBoard);
    let shown = lines(&session, (80, 24));
    assert!(shown[7].starts_with("6 d # c*# ") && shown[8].starts_with("7 b # #*a "), "{shown:?}");
    assert!(shown[4].ends_with("speed   1x, paused") && shown[6].ends_with("now     the best is played"));
    session.obey(Command::StepBoard);
    let shown = lines(&session, (80, 24));
    assert!(shown[7].starts_with("6 d       # a d c"), "{shown:?}");
    assert!(!shown.concat().contains('*') && shown[2].ends_with("score   0 points"), "{shown:?}");
    session.obey(Command::StepMove);
    let shown = lines(&session, (80, 24));
    assert!(shown[2].ends_with("score   16 points") && shown[3].ends_with("moves   24 of 25 left"), "{shown:?}");
    assert!(shown[5].ends_with("last    +16: swap column 2, rows 6 and 7"), "{shown:?}");
    assert!(shown[6].ends_with("now     thinking"), "{shown:?}");
    session.obey(Command::StepMove);
    assert!(lines(&session, (80, 24))[6].ends_with("thinking, then comes the step"));
}

#[test]
fn tokens_have_letters_on_their_colours_unless_colours_are_not_wanted() {
    let at = |buffer: &Buffer, x: u16| (buffer[(x, 1)].symbol().to_owned(), buffer[(x, 1)].fg, buffer[(x, 1)].bg);
    let (buffer, _) = drawn(&session(), (80, 24), true);
    // Turquoise and slate.
    assert_eq!(at(&buffer, 2), ("d".to_owned(), BLACK, Color::Indexed(CUBE + 36 + 3 * 6 + 4)));
    assert_eq!(at(&buffer, 8), ("#".to_owned(), GREY, Color::Indexed(CUBE + 36 + 6 + 2)));
    let (buffer, _) = drawn(&answered(), (80, 24), false);
    assert_eq!([at(&buffer, 2).0, at(&buffer, 8).0], ["d", "#"]);
    assert!(buffer.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
}

#[test]
fn colours_are_the_nearest_of_the_cube_and_tokens_of_a_game_differ() {
    let known = [
        ([0, 0, 0], 16),
        ([255, 255, 255], 231),
        ([254, 1, 2], 196),
        ([0, 255, 95], 47),
        ([47, 48, 114], 23),
        ([115, 154, 156], 103),
    ];
    for (colour, index) in known {
        assert_eq!(indexed(colour), index, "{colour:?}");
    }
    for tokens in
        [Match3::TOKENS, Bilging::TOKENS, Bejeweled::TOKENS, TileMatch::TOKENS, Tetris::TOKENS, SameGame::TOKENS]
    {
        let colours: HashSet<u8> = tokens.iter().map(|token| indexed(token.colour)).collect();
        assert_eq!(colours.len(), tokens.len(), "{tokens:?}");
    }
}

#[test]
fn a_small_terminal_cuts_texts_and_a_smaller_one_says_what_is_needed() {
    let shown = lines(&answered(), (40, 12));
    assert_eq!(shown[8], "7 b # c*a c b # b     123.4 swap column");
    assert_eq!(shown[11], "q quit  space pause  s board  m move  +");
    for size in [(39, 24), (80, 11), (39, 5)] {
        let shown = lines(&answered(), size).join(" ");
        assert!(shown.contains("too small") && shown.contains("40 x 12"), "{shown}");
    }
    for size in [(1, 1), (5, 0), (0, 5), (200, 3)] {
        assert!(!drawn(&answered(), size, true).1);
    }
}

#[test]
fn the_keys_stay_near_the_board_in_a_high_terminal() {
    let shown = lines(&answered(), (200, 60));
    assert_eq!(shown[23], KEYS);
    assert!(shown[24..].iter().all(String::is_empty));
}

#[test]
fn twenty_rows_of_tetris_with_the_place_of_landing_fit_into_a_terminal_of_the_usual_size() {
    let rules = tetris::Rules::new(20).unwrap();
    let seed = (0..).find(|seed| Session::<Tetris>::new(rules, *seed, "it", 1.0).board().contains('O')).unwrap();
    let mut session = Session::<Tetris>::new(rules, seed, "it", 1.0);
    let Question { id, ties, .. } = session.question().unwrap();
    session.answer(Answer { id, ranked: vec![Valued::new(0, 1.0)], ties });
    let shown = lines(&session, (80, 24));
    assert!(shown[0].starts_with("   0 1 2 3 4 5 6 7 8 9   player  it"), "{shown:?}");
    assert!(shown[1].starts_with("0        O O  ") && shown[3].starts_with("2  . . . . . . . . . . "), "{shown:?}");
    assert!(shown[21].starts_with("20 .*.*. . ") && shown[22].starts_with("21 .*.*. . "), "{shown:?}");
    // The moves are not counted.
    assert!(shown[3].ends_with("speed   1x") && shown[7].ends_with("1.0 O, columns 0 to 1"), "{shown:?}");
    assert_eq!(shown[23], KEYS);
    session.obey(Command::StepMove);
    assert!(lines(&session, (80, 24))[22].starts_with("21 O O . . "));
}

/// Draws a game in terminals of all sizes.
fn play_everywhere<G: Playable>() {
    let mut session = Session::<G>::new(Default::default(), 1, "greedy", 1.0);
    let (mut answers, mut boards) = (0, HashSet::new());
    for round in 0..40 {
        if let Some(Question { id, state, ties }) = session.question() {
            answers += 1;
            let mask = crate::games::offered::<G>(&state, crate::games::MaskKind::default_of::<G>()).0;
            let ranked = mask.iter().take(12).zip([f64::INFINITY, 1.0, -1e9].into_iter().cycle());
            let ranked = ranked.map(|(action, value)| Valued::new(action, value)).collect();
            session.answer(Answer { id, ranked, ties });
        }
        let sizes = [(200, 60), (100, 40), (80, 30), (80, 24), (60, 20), (40, 14), (1, 1)];
        drawn(&session, sizes[round % sizes.len()], round % 2 == 0);
        let shown = lines(&session, (80, 24));
        assert!(shown.concat().is_ascii(), "{shown:?}");
        boards.insert(shown);
        session.tick(0.4);
    }
    assert!(answers > 0 && boards.len() > 3, "{answers} answers, {} boards", boards.len());
}

#[test]
fn every_game_is_drawn_in_terminals_of_all_sizes() {
    play_everywhere::<Match3>();
    play_everywhere::<Bilging>();
    play_everywhere::<Tetris>();
    play_everywhere::<Bejeweled>();
    play_everywhere::<TileMatch>();
    play_everywhere::<SameGame>();
}
