"""Rows of data, from the split to the score: the room of all that a rule asks about them.

    X = scaler.fit_transform(X)                       # 2. what was fitted on them?
    X_train, X_test = train_test_split(X)             # 1. which rows are these, and where were they divided?
    val_loader = DataLoader(Rows(X_train))            # 3. is one part taken for another?
    for x, y in train_loader: ...; optimizer.step()   # 4. which part is trained on, in which order, transformed how?
    if score(X_test) > best: save(model)              # 5. what is selected by a score on them?

Each question is answered in one place:

    1. splits         which part are these rows, and what divides rows into parts?
       slices         which two slices are the two parts of a split?
       random_splits  does a random draw decide which rows are held out?
       usage          is a part read at all, and which place is its counterpart for another part?
       forwarded      is what a function hands on, or a loader of it, ever read?
    2. learned        what was learned from which rows before a model sees them? (`by_hand`: without an estimator)
       encoded        are groups encoded by the mean of their answers?
       per_iteration  is it learned anew in each iteration, from what that iteration draws?
       leakage        does what was learned pass from held-out rows to training rows?
       refits         are training rows and held-out rows prepared by different fits?
       lookback       do rows look at the rows before them, so that a random split puts neighbours on both sides?
    3. wrong_part     is one part taken for another, by two names that contradict each other and an unread counterpart?
       measured_rows  is a measurement given the training rows, while the held-out ones lie unread?
       built_alike    is one expression bound twice, for training and for evaluation?
       same_samples   are two datasets that are constructed the same samples?
       shared_rows    do two slices share rows?
       overlaps       do the rows that are trained on include some that are held out?
    4. loading        how does a loader choose and order its samples, and can the order matter?
       carried_state  does a recurrent state go from one batch to the next?
       item_getters   what does `__getitem__` do with its index?
       augmentation   does a transform draw at random, and which part is given it?
       random_held_out  which held-out data passes through a transform that draws at random?
       trained_on     is anything trained on held-out rows, by the form of a loop or a fit?
       held_out_steps which steps train on held-out rows, by more than the name of a loop?
       held_out_fits  which fits learn from held-out rows?
       node_masks     is a loss of a graph taken over the nodes that a mask holds out?
    5. test_scores    was a number measured on the test set?
       test_choices   what is kept, stopped, tuned or scheduled by such a number?
       named_tests    is test data taken for validation data, by what names say, in a file that chooses?
       thresholds     was a threshold chosen on the test rows that it is measured on?
       picked         which candidate is looked up by the best of the scores that were collected?
       selection      what does the program choose by a score, and on which rows is it measured, by their names?

The part of some rows comes with their value where a splitter or an argument of a dataset says it (PROVEN). Names answer
where nothing else does; a second fact, most often a counterpart that is never read, has to agree with them.

May import: the floors below and the other domains of `training`. Does not: say what is wrong, which is for the rules.
"""
