"""Does anything break mllint? A million made-up inputs, each of which must end without a fault.

    python -m benchmarks.fuzzing [--count N] [--seed TEXT] [--out FOLDER]
    python -m benchmarks.fuzzing GENERATOR --from NUMBER --count 1     one input again

`inputs` makes them, by a generator and a number: the same input for the same seed. `subjects` hands each to the part of
mllint that reads such a thing. `__main__` runs them by the thousand in child processes under limits.

A fault is an exception that is not for the user, an `internal-error`, the end of the process by a signal, more than
ten seconds of CPU, more than 1 GB of memory, or an exit code that is none of ours. Each is written to a file with its
input.
`tests/fuzz` asks more of fewer inputs: that findings are the same again, and that spans lie inside of their files.
"""
