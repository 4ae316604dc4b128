"""`python -m serving.cli`: the command without its console script."""

from serving.cli.app import main

if __name__ == "__main__":
    main()
