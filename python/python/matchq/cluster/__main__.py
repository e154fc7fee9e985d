import sys

from matchq.cluster._cli import main

if __name__ == "__main__":
    sys.exit(main())
