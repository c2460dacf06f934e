"""How often is mllint right about code that nobody here has read? The benchmark of the first sight.

Precision on code that rules were changed for says what the rules learned, not what a stranger meets. So this is a
protocol, and a figure is worth something only if all of it was followed, in this order:

1. **List.** Write down words that stand in the names of repositories which train something, ask a public index for the
   repositories of each word, and list them all, word by word (`candidates.txt`). Leave out what anybody here has worked
   with: repositories that the project's documents, pages, corpora and pinned packages name.
2. **Draw.** `draw` shuffles the list of each word with a seed and takes from the words in turn, so that every kind of
   training is in. Take what comes, notebooks and homework included. Go on to the next one only if a repository cannot
   be fetched, trains nothing, or has more than 60,000 lines (one of those would be the whole figure).
3. **Check.** `check` runs the mllint of this checkout over each repository in turn, isolated, and adds what it found to
   `labels.json`. Nothing of mllint is changed between the drawing and the last label.
4. **Label.** `label` shows one finding after the other at its place. Open the file, follow the calls, and decide as the
   strictest maintainer would:

       true       the code does what the finding says, and it matters
       debatable  the code does it, on purpose or without harm
       false      the code does not do it, or is right to do it

   What is true to the letter and harmless is debatable at best. Each label has a reason of one line.
5. **Publish.** `report` prints the figures by rule: strictly (true of all) and without counting debatable as false.
   They go to `benchmarks/firstsight.md` with their date, whatever they are.
6. **Mend**, from the mechanism and not for the repository; `check` without `--update` says what became of each label.
   From then on these repositories are read: the next figure is that of a new `round`, of the next ones in the draw.

Files that do not parse are counted and not labelled. Only places, labels and reasons are committed, no code.
"""
