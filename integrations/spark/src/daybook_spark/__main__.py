import sys

from daybook_spark.command import main

if __name__ == "__main__":
    sys.exit(main())
