#@ main
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("board", type=argparse.FileType(), help="file of the board's text, - for standard input")
    parser.add_argument("--moves-left", type=int, default=MOVES, metavar="N")
    arguments = parser.parse_args()
    print(json.dumps(choose(arguments.board.read(), arguments.moves_left)))


if __name__ == "__main__":
    main()
