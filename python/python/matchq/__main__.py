import sys

from matchq._cli import main

sys.exit(main())
