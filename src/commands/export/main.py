def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("board", type=argparse.FileType(), help="file of the board's text, - for standard input")
    parser.add_argument("--moves-left", type=int, default=MOVES, metavar="N", help="moves left to play")
    arguments = parser.parse_args()
    if MOVES and not 1 <= arguments.moves_left <= MOVES:
        parser.error(f"--moves-left {arguments.moves_left}: it must be from 1 to {MOVES}")
    try:
        print(json.dumps(choose(arguments.board.read(), arguments.moves_left)))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
