"""What is a score, of which samples is it, and what becomes of it?

    resets        does what is counted in an epoch begin anew in each?
    averages      is a sum over batches divided by what was summed?
    batch_scores  is the mean of a score over batches taken for the score of all samples?
    meters        which objects keep the running mean of what they are given?
    last_batch    is what is read behind an evaluation about its last batch only?
    decisions     were scores made into decisions, entry by entry?
    directions    in which direction is a metric better, and in which one is it watched?
    comparisons   which comparisons decide whether a branch runs?
    keepers       by which score are weights kept, and which one counts as better?
    recorded      under which name is a score recorded?

Which rows a score was measured on is a question for `rows`.

May import: the floors below and the domains of `training`.
"""
