"""`python -m wordrbm` is the command `wordrbm`."""

from wordrbm.cli.app import main

main()
