"""The command line."""


def main() -> None:
    """Run the command ``bibld``."""
