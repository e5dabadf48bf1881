"""``python -m bibld`` is the command ``bibld``."""

from bibld.cli import main

if __name__ == "__main__":
    main()
