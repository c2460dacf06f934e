"""Is it true what the rules say? One experiment behind each of them.

    python -m benchmarks.evidence                  all experiments, held against results.json
    python -m benchmarks.evidence double-softmax   one
    python -m benchmarks.evidence --sample         one of each family
    python -m benchmarks.evidence --update         write what was measured to results.json
    python -m benchmarks.evidence --show RULE      what is different between the two programs

`<family>/<rule>.py` is a small training program on the real library, with the bug and without it, that gives one figure
for one seed. Three things are shown about it: the program with the bug raises nothing and warns of nothing; the figure
gets worse, by more than it differs between seeds; mllint reports the rule on the program with the bug, and not on the
other. A claim that does not hold is a mistake of the rule or of its page, and is mended there.

    programs   an experiment is one file; the two programs are made from it
    measure    runs a program with each seed, in a process of its own
    results    what was measured: figures, verdict, and the lines of text that say so
    picture    the same as a small SVG

`website.evidence` writes the sections of the pages and `docs/evidence.md`. Only `measure` needs the heavy libraries
(the dependency group `evidence`), and only when it runs.
"""
