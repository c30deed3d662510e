import sys

from daybook_spark.command import main

sys.exit(main())
