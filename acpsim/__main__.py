"""`python -m acpsim`."""

from acpsim.cli import main

if __name__ == "__main__":
    main()
