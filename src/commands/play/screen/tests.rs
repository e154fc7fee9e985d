use ratatui::Terminal;
use ratatui::backend::TestBackend;

use ratatui::style::Color;

use super::super::look::Colours;
use super::super::session::{Answer, Command, Question};
use super::super::toy::Toy;
use super::*;
use crate::games::match3::Move;
use crate::games::{Bejeweled, Bilging, Match3, Tetris, TileMatch, tetris};
use crate::players;

const PLAIN: Look = Look { ascii: false, colours: Colours::None };
const COLOURED: Look = Look { ascii: false, colours: Colours::True };
const IN_256: Look = Look { ascii: false, colours: Colours::Indexed };
const ASCII: Look = Look { ascii: true, colours: Colours::None };

fn session(human: bool) -> Session<Match3> {
    Session::new(Default::default(), 0, "greedy", human, 1.0)
}

/// Answers with made-up values of two moves.
fn answer(session: &mut Session<Match3>) {
    answer_with(session, [123.4, -5.0]);
}

fn answer_with(session: &mut Session<Match3>, values: [f64; 2]) {
    let ranked = [Move { x: 2, y: 6, vertical: true }, Move { x: 3, y: 0, vertical: false }];
    let values = ranked.iter().zip(values);
    let valued = |(at, value): (&Move, f64)| players::ActionValue { action: at.action().unwrap(), value };
    let question = session.question().unwrap();
    session.answer(Answer { id: question.id, ranked: values.map(valued).collect(), ties: question.ties });
}

fn drawn<G: Roster>(session: &Session<G>, (width, height): (u16, u16), look: Look) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let needed = needed::<G>(*sizes::<G>().last().unwrap(), session.board().size());
    terminal.draw(|frame| assert_eq!(draw(frame, session, look, false), fits(needed, frame.area()))).unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> Vec<String> {
    let width = buffer.area.width.into();
    let row = |cells: &[ratatui::buffer::Cell]| cells.iter().map(|cell| cell.symbol()).collect::<String>();
    buffer.content.chunks(width).map(|cells| row(cells).trim_end().to_owned()).collect()
}

#[test]
fn the_board_has_shapes_letters_and_coordinates_beside_the_score_and_the_text() {
    let mut session = session(false);
    answer(&mut session);
    let shown = lines(&drawn(&session, (80, 24), PLAIN));
    let expected = [
        "seed 0   greedy plays",
        "    0     1     2     3     4     5     6     7     score       0",
        "   ▄▄▄   ▄▄▄    ▄   ░░2↔-5.0▄▄  ▄▄▄▄▄  ▄▄▄   ▄▄▄    moves left  25 of 25",
        "0 ▀█d█▀ ▀█d█▀ ▄█a█▄ ░░#░░ ██c██ ██b██ ▀█d█▀ ██c██   speed       1x",
        "   ▄▄▄   ▄▄▄  ░░░░░  ▄▄▄  ░░░░░  ▄▄▄   ▄▄▄  ▄▄▄▄▄   best moves          value",
        "1 ▀█d█▀ ██c██ ░░#░░ ██c██ ░░#░░ ▀█d█▀ ██c██ ██b██   1 (6, 2)-(7, 2)     123.4",
        "    ▄   ░░░░░  ▄▄▄   ▄▄▄  ░░░░░ ▄▄▄▄▄ ▄▄▄▄▄  ▄▄▄    2 (0, 3)-(0, 4)      -5.0",
    ];
    assert_eq!(shown[..7], expected);
    assert!(shown[16].contains(" 1↕123 "), "{}", shown[16]);
    assert!(
        shown[11].ends_with("  01234567") && shown[12].ends_with("0 dda#cbdc") && shown[21].ends_with("9 dac#c#a#")
    );
    assert_eq!(shown[22], "next: swap (6, 2) and (7, 2)");
    assert_eq!(shown[23], Role::Watching.line());
}

#[test]
fn a_value_that_does_not_fit_into_a_cell_is_only_in_the_list() {
    for (values, first, second) in [
        ([2_000_008.0, -1_000.0], "░  1↕▄    ▄", "░2↔ ▄▄▄ "),
        ([10_000.0, f64::INFINITY], "░  1↕▄    ▄", "░2↔inf▄▄ "),
        ([9_999.0, -999.0], "░ 1↕9999  ▄", "░2↔-999▄▄ "),
    ] {
        let mut session = session(false);
        answer_with(&mut session, values);
        let shown = lines(&drawn(&session, (80, 24), PLAIN));
        assert!(shown[2].contains(second) && shown[16].contains(first), "{shown:?}");
    }
    let mut session = session(false);
    answer_with(&mut session, [2_000_008.0, -1_000.0]);
    let shown = lines(&drawn(&session, (80, 24), PLAIN));
    assert!(shown[5].ends_with(" 1 (6, 2)-(7, 2) 2000008.0") && shown[6].ends_with(" 2 (0, 3)-(0, 4)   -1000.0"));
    // A larger cell has room for more.
    let shown = lines(&drawn(&session, (120, 40), PLAIN)).join("\n");
    assert!(shown.contains(" ▄1↕▄▄  ") && shown.contains("2↔-1000"), "{shown}");
}

#[test]
fn an_unwanted_hint_and_a_coming_step_are_shown() {
    let mut own = session(true);
    own.obey(Command::Hint);
    own.question();
    assert_eq!(lines(&drawn(&own, (80, 24), PLAIN))[22], "greedy thinks about a hint");
    own.obey(Command::Hint);
    assert!(lines(&drawn(&own, (80, 24), PLAIN))[22].starts_with("select a token"));
    let mut steering = Session::<Tetris>::new(Default::default(), 0, "it", true, 1.0);
    let told = |steering: &Session<Tetris>| lines(&drawn(steering, (100, 50), PLAIN)).join("\n");
    assert!(told(&steering).contains("left and right move, up turns, down lets it fall"));
    steering.obey(Command::Hint);
    let Question { id, ties, .. } = steering.question().unwrap();
    steering.answer(Answer { id, ties, ranked: vec![players::ActionValue { action: 0, value: 1.0 }] });
    assert!(told(&steering).contains("here it is best: down lets it fall"), "{}", told(&steering));
    steering.obey(Command::Go(1, 0));
    assert!(told(&steering).contains("left and right move"));
    let mut watched = session(false);
    watched.question();
    watched.obey(Command::StepMove);
    assert_eq!(lines(&drawn(&watched, (80, 24), PLAIN))[22], "greedy thinks, then comes the step");
}

#[test]
fn gems_have_the_colours_of_their_tokens_as_far_as_the_terminal_has_them() {
    let token = |letter| tokens::token_of::<Match3>(letter).unwrap().colour;
    let letters = |look: Look| {
        let buffer = drawn(&session(false), (80, 24), look);
        // Letters of a d and an a; an obstacle.
        [(4, 3), (16, 3), (22, 3)].map(|at| (buffer[at].symbol().to_owned(), buffer[at].fg, buffer[at].bg))
    };
    let gem = |look: Look, letter: char| {
        (letter.to_string(), look.colour(super::super::look::DARK), look.colour(token(letter)))
    };
    for look in [COLOURED, IN_256] {
        assert_eq!(letters(look)[..2], [gem(look, 'd'), gem(look, 'a')]);
        assert_eq!(letters(look)[2].2, look.colour(token('#')));
    }
    assert!(letters(PLAIN).iter().all(|(_, fg, bg)| (*fg, *bg) == (Color::Reset, Color::Reset)));
    // In 256 colours each pixel is of the gem or of the ground; with all colours, gems are lit.
    let colours = |look| {
        let buffer = drawn(&session(false), (80, 24), look);
        let of_gem = (2..7).flat_map(|x| [(x, 2), (x, 3)]).flat_map(|at| [buffer[at].fg, buffer[at].bg]);
        of_gem.collect::<std::collections::HashSet<_>>().len()
    };
    assert!(colours(IN_256) <= 4 && colours(COLOURED) > 6, "{} {}", colours(IN_256), colours(COLOURED));
}

#[test]
fn ascii_is_all_there_is_where_it_is_asked_for() {
    let mut watched = session(false);
    answer(&mut watched);
    for shown in [&watched, &session(true)] {
        let text = lines(&drawn(shown, (80, 24), Look { ascii: true, ..COLOURED })).join("\n");
        assert!(text.is_ascii(), "{text}");
    }
}

#[test]
fn the_cursor_and_the_selected_cell_are_seen_and_the_keys_fit() {
    let mut own = session(true);
    let shown = lines(&drawn(&own, (80, 24), PLAIN));
    // An obstacle in column 3, row 4.
    assert!(shown[10].contains("[░░░░░]") && shown[11].contains("[░░#░░]"), "{shown:?}");
    assert_eq!(shown[23], Role::Swapping.line());
    own.obey(Command::Select);
    let shown = lines(&drawn(&own, (80, 24), PLAIN));
    assert!(shown[10].contains(">░░░░░<") && shown[22].contains("which direction"), "{shown:?}");
    own.obey(Command::Unselect);
    own.obey(Command::Hint);
    answer(&mut own);
    assert!(lines(&drawn(&own, (80, 24), PLAIN))[16].contains(" 1↕123 "));
}

#[test]
fn a_swap_is_shown_with_the_tokens_that_are_about_to_go_and_then_their_holes() {
    let mut session = session(false);
    answer(&mut session);
    session.obey(Command::StepBoard);
    let shown = lines(&drawn(&session, (80, 24), PLAIN));
    assert!(shown[16].contains("*░░↕░░*") && shown[17].contains("*░░#░░*"), "{shown:?}");
    session.obey(Command::StepBoard);
    let shown = lines(&drawn(&session, (80, 24), PLAIN));
    assert!(shown[3].contains("speed       1x  paused") && shown[22] == "clearing 1", "{shown:?}");
    assert!(shown[18].ends_with("6 d   #adc"), "{}", shown[18]);
}

#[test]
fn a_larger_terminal_has_a_larger_board_and_one_too_small_says_what_is_needed() {
    let shown = lines(&drawn(&session(false), (120, 44), PLAIN));
    assert!(shown[1].starts_with("      0         1         2 ") && shown[43] == Role::Watching.line(), "{shown:?}");
    assert!(lines(&drawn(&session(true), (120, 44), PLAIN))[43] == Role::Swapping.line());
    assert_eq!(needed::<Match3>(tokens::SIZES[3], (8, 10)), (80, 24));
    for size in [(67, 24), (80, 12), (30, 5)] {
        let shown = lines(&drawn(&session(false), size, PLAIN)).join(" ");
        assert!(shown.contains("too small") && shown.contains("68 x 13"), "{shown}");
    }
    for size in [(1, 1), (5, 0), (0, 5), (200, 3)] {
        drawn(&session(false), size, PLAIN);
    }
}

#[test]
fn a_game_of_another_size_without_a_number_of_moves_is_drawn_by_its_own_tokens() {
    let mut watched = Session::<Toy>::new((), 0, "random", false, 1.0);
    let question = watched.question().unwrap();
    let ranked = [(1, 2.0), (4, 1.0)].map(|(action, value)| players::ActionValue { action, value });
    watched.answer(Answer { id: question.id, ranked: ranked.to_vec(), ties: question.ties });
    // The panel is higher than the board, the keys are wider than both.
    assert_eq!(needed::<Toy>(tokens::SIZES[3], (3, 2)), (68, 16));
    let buffer = drawn(&watched, (77, 16), COLOURED);
    let shown = lines(&buffer);
    let expected = [
        "score       0",
        "speed       1x",
        "best moves       value",
        "1 toy move 1       2.0",
        "2 toy move 4       1.0",
        "",
        "",
        "",
        "",
        "  012",
        "0 cba",
        "1 bb#",
    ];
    let panel = |line: &String| line.chars().skip(40).collect::<String>();
    assert_eq!(shown[1..13].iter().map(panel).collect::<Vec<_>>(), expected);
    assert_eq!((&*shown[14], &*shown[15]), ("next: toy move 1", Role::Watching.line()));
    // The letters of a star, a diamond, a circle and a block, in their cells and in the text.
    let colour = |letter| COLOURED.colour(tokens::token_of::<Toy>(letter).unwrap().colour);
    for (letter, (x, y), text) in [('c', (7, 4), 42), ('b', (19, 4), 43), ('a', (31, 4), 44)] {
        assert_eq!((buffer[(x, y)].symbol(), buffer[(x, y)].bg), (&*letter.to_string(), colour(letter)));
        assert_eq!((buffer[(text, 11)].symbol(), buffer[(text, 11)].fg), (&*letter.to_string(), colour(letter)));
    }
    assert_eq!((buffer[(31, 9)].symbol(), buffer[(44, 12)].fg), ("#", colour('#')));
}

#[test]
fn a_move_that_there_is_not_is_named() {
    let mut own = Session::<Toy>::new((), 0, "random", true, 1.0);
    [Command::Select, Command::Go(0, 1)].into_iter().for_each(|command| own.obey(command));
    assert_eq!(lines(&drawn(&own, (77, 16), PLAIN))[14], "no move is of the cells (0, 0) and (1, 0)");
    own.obey(Command::Unselect);
    assert!(lines(&drawn(&own, (77, 16), PLAIN))[14].starts_with("select a token"));
}

#[test]
fn a_small_terminal_has_a_board_of_letters_with_title_and_message_beside_it() {
    let buffer = drawn(&session(true), (79, 23), COLOURED);
    let shown = lines(&buffer);
    let expected = [
        "   0  1  2  3  4  5  6  7   seed 0   you play, greedy gives hints",
        "0  d  d  a  #  c  b  d  c   score       0",
        "1  d  c  #  c  #  d  c  b   moves left  25 of 25",
    ];
    assert_eq!(shown[..3].iter().map(|line| line.as_str()).collect::<Vec<_>>(), expected);
    assert!(shown[12].starts_with("arrows go  space select"), "{shown:?}");
    let cursor = buffer.content.iter().find(|cell| cell.symbol() == "[").expect("the cursor");
    let ground = COLOURED.colour(super::super::look::GROUND);
    assert_eq!(cursor.bg, ground);
    // A token's letter is on its colour, an obstacle's is not.
    let token = COLOURED.colour(tokens::token_of::<Match3>('d').unwrap().colour);
    assert_eq!((buffer[(3, 1)].bg, buffer[(12, 1)].fg), (token, COLOURED.colour(GREY)));
}

#[test]
fn twenty_rows_of_tetris_fit_into_a_terminal_of_the_usual_size() {
    let smallest = *pieces::SIZES.last().unwrap();
    assert!(fits(needed::<Tetris>(smallest, (10, 22)), Rect::new(0, 0, 80, 24)));
    let session = Session::<Tetris>::new(Default::default(), 0, "linear", false, 1.0);
    let shown = lines(&drawn(&session, (80, 24), PLAIN));
    assert!(shown[22].trim_start().starts_with("21"), "{shown:?}");
    assert_eq!(shown[23], Role::Watching.line());
}

/// A game of Tetris in which the piece is an O and the player prefers the lower left corner.
fn tetris_of_o() -> Session<Tetris> {
    let first = |seed: &u128| {
        let session = Session::<Tetris>::new(tetris::Rules::new(8).unwrap(), *seed, "it", false, 1.0);
        session.board().cells().any(|cell| cell.2 == 'O')
    };
    let seed = (0..100).find(first).unwrap();
    let mut session = Session::<Tetris>::new(tetris::Rules::new(8).unwrap(), seed, "it", false, 1.0);
    let Question { id, ties, .. } = session.question().unwrap();
    session.answer(Answer { id, ties, ranked: vec![players::ActionValue { action: 0, value: 1.0 }] });
    session
}

#[test]
fn a_ghost_is_where_the_piece_lands_and_the_landed_piece_keeps_its_colour() {
    let mut session = tetris_of_o();
    let shown = lines(&drawn(&session, (80, 24), ASCII));
    let expected =
        ["  0 1 2 3 4 5 6 7 8 9", "0       OOOO", "1       OOOO", "2  . . . . . . . . . .", "3  . . . . . . . . . ."];
    let board = |line: &String| line.chars().take(23).collect::<String>().trim_end().to_owned();
    assert_eq!(shown[..5].iter().map(board).collect::<Vec<_>>(), expected);
    assert!(shown[9].starts_with("8 [][] . .") && shown[10].starts_with("9 [][] . ."), "{shown:?}");
    // In a larger terminal the ghost is an outline, the ground flat and the piece yellow.
    let buffer = drawn(&session, (100, 40), COLOURED);
    let yellow = COLOURED.colour(tokens::token_of::<Tetris>('O').unwrap().colour);
    let at = |buffer: &Buffer, column: u16, row: u16| (buffer[(column, row)].fg, buffer[(column, row)].bg);
    assert!((15..23).any(|column| at(&buffer, column, 3).1 == yellow), "{:?}", at(&buffer, 16, 3));
    // The ghost is in columns 2 to 9 and rows 18 to 21, the empty cells are beside.
    let (edge, inner, empty) = (at(&buffer, 2, 20), at(&buffer, 5, 20), at(&buffer, 30, 20));
    assert!(edge.1 != inner.1 && inner.1 != empty.1, "{edge:?} {inner:?} {empty:?}");
    assert_eq!((empty, empty.0), (at(&buffer, 31, 15), Color::Reset));
    session.obey(Command::StepMove);
    let buffer = drawn(&session, (100, 40), COLOURED);
    assert_eq!(at(&buffer, 4, 20).0, yellow, "{:?}", at(&buffer, 4, 20));
    assert!(lines(&drawn(&session, (80, 24), ASCII))[10].starts_with("9 OOOO . ."));
}

#[test]
fn a_full_row_flashes_before_it_vanishes() {
    let rules = tetris::Rules::new(8).unwrap();
    let mut session = Session::<Tetris>::new(rules, 0, "it", false, 1.0);
    let mut flashes = 0;
    let mut player = players::parse::<Tetris>("linear", &rules).unwrap();
    for _ in 0..2_000 {
        if let Some(Question { id, state, mut ties }) = session.question() {
            let ranked = player.rank(&state, &mut ties).unwrap();
            session.answer(Answer { id, ranked, ties });
        }
        let board = session.board();
        if let Some((x, y, _)) = board.cells().find(|cell| cell.2 == ' ') {
            let buffer = drawn(&session, (100, 40), COLOURED);
            let light = COLOURED.colour(super::super::look::LIGHT);
            assert_eq!(buffer[(4 + 4 * x as u16, 2 + 2 * y as u16)].bg, light);
            flashes += 1;
            break;
        }
        session.tick(0.05);
    }
    assert_eq!(flashes, 1, "no row was filled");
}

#[test]
fn all_keys_are_shown_in_a_box_over_the_game() {
    for (human, look, key) in [(false, PLAIN, "m     "), (true, ASCII, "Esc   ")] {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let session = session(human);
        terminal.draw(|frame| assert!(draw(frame, &session, look, true))).unwrap();
        let shown = lines(terminal.backend().buffer()).join("\n");
        assert!(shown.contains(" keys ") && shown.contains("quit and print the scores"), "{shown}");
        assert!(shown.contains(key) && shown.contains("next game"), "{shown}");
        assert!(!look.ascii || shown.is_ascii(), "{shown}");
    }
    for size in [(1, 1), (77, 13), (20, 3)] {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        terminal.draw(|frame| _ = draw(frame, &session(true), PLAIN, true)).unwrap();
    }
}

#[test]
fn marks_on_letters_leave_them_to_be_read() {
    let mut session = session(false);
    answer(&mut session);
    let shown = lines(&drawn(&session, (79, 23), PLAIN));
    // The second best swaps columns 3 and 4 of row 0, the best rows 6 and 7 of column 2.
    assert!(shown[1].starts_with("0  d  d  a  #2↔c  b  d  c"), "{}", shown[1]);
    assert_eq!(shown[8].chars().nth(10), Some('1'), "{}", shown[8]);
}

/// Draws a game in terminals of all sizes.
fn play_everywhere<G: Roster>() {
    let commands =
        [Command::Hint, Command::Go(1, 0), Command::Select, Command::Go(0, 1), Command::Select, Command::Pause];
    for (human, look) in [(false, PLAIN), (true, PLAIN), (true, Look { ascii: true, ..IN_256 }), (false, COLOURED)] {
        let mut session = Session::<G>::new(Default::default(), 1, "greedy", human, 1.0);
        let (mut answers, mut boards) = (0, std::collections::HashSet::new());
        for round in 0..40 {
            if let Some(question) = session.question() {
                answers += 1;
                let mask = crate::games::offered::<G>(&question.state, crate::games::MaskKind::default_of::<G>()).0;
                let ranked = mask.iter().take(12).zip([1.0, -1e9, f64::INFINITY].into_iter().cycle());
                let ranked = ranked.map(|(action, value)| players::ActionValue { action, value }).collect();
                session.answer(Answer { id: question.id, ranked, ties: question.ties });
            }
            let sizes = [(200, 60), (100, 40), (80, 30), (80, 24), (60, 20), (40, 14), (1, 1)];
            drawn(&session, sizes[round % sizes.len()], look);
            boards.insert(lines(&drawn(&session, (80, 30), look)));
            if human {
                session.obey(commands[round % commands.len()]);
            }
            session.tick(0.4);
        }
        assert!(answers > 0 && boards.len() > 3, "{answers} answers, {} boards", boards.len());
    }
}

#[test]
fn every_game_is_drawn_in_terminals_of_all_sizes() {
    play_everywhere::<Match3>();
    play_everywhere::<Bilging>();
    play_everywhere::<Tetris>();
    play_everywhere::<Bejeweled>();
    play_everywhere::<TileMatch>();
}
