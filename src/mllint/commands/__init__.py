"""The commands of the command line, a module each, with a `main(arguments)` that gives the exit code."""
