import sys

from matchq._play import main

sys.exit(main())
