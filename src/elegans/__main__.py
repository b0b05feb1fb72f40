"""`python -m elegans` is the command `elegans`."""

from elegans.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
