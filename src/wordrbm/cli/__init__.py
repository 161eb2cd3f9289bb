"""The command line: one command, or one family of commands, a file; no formula."""
