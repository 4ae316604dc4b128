"""`python -m evals SUITE`: what `knowledge-agent evals SUITE` does."""

from evals.command import main

if __name__ == "__main__":
    main()
