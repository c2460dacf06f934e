"""What a training program is made of: the facts that rules ask for, established once.

The rest of the core knows what an expression is (`Value`), what happens (`Event`) and in which order (`Flow`). This
package knows what that means for training: which object is the model, which loop trains it, in which mode it is when it
is measured, what is in `.grad`, which rows were held out. Each module or folder is one **domain**:

    evidence     how well is an answer known, and is that enough to be certain?
    roles        what is this object: a model, an optimizer, a loader, training rows? (`role_names`: by which names?)
    identity     may an object of which little is known be that one?
    predictions  what made this, by its form: a model, an item of a loop? (`prediction_names`: do two names say
                 otherwise?)
    shapes       how many dimensions has a tensor, and what does each of them count?
    class_dimensions  in which of them do the classes of some scores lie?
    phases       what is this loop or function doing: training, measuring, preparing?
    iterations   in which iterations of a loop does something happen?
    hidden_calls may a call that is not written as one run something for this object?
    uncalled     is a method named where it is meant to be called?
    options      which number is a setting, unless somebody asks for another?
    purity       does a call do nothing but compute? (`dead_lines`: would a line without effect have changed anything?
                 `tensor_receivers`: is its receiver a tensor, though nothing says so?)
    accelerated  has accelerate prepared what a loop trains with?
    modes/       in which mode is a model when it runs, and who sets it?
    gradients/   what is in `.grad`, and does a step apply it?
    graphs/      where does an autograd graph begin and end, and who keeps it?
    optimizers/  which parameters does an optimizer hold, and do both live as long?
    schedules/   what does a learning-rate schedule count, and who advances it when?
    layers/      which modules does a module consist of, and does PyTorch know them?
    losses/      what does a loss expect, and what is it given?
    metrics/     what is a score, of which samples is it, and what becomes of it?
    finetuning/  what does a language model learn from its texts, and what of it learns?
    rows/        which rows are these, where were they divided, what was fitted on them, who reads them?
    randomness/  which chance decides, and does it decide alike in each run?
    checkpoints/ what is kept of a run, and does another run go on from it?
    errors/      what does a `try` protect, and what do its handlers do?

A domain is a small lattice of answers, the events that change the answer, and what makes it unknown. It answers with an
`Answer`: the value, the evidence for it and the places that explain it. A rule puts the answers that its finding rests
on into `Finding(evidence=...)`, and the engine derives from the weakest of them whether the finding is certain.

May import: the rest of `mllint.semantics`. It knows no rule, writes no message, and decides nothing about severity:
that a model is measured in train mode is a fact, that this is a fault is for a rule to say.

Names are evidence, in two tables: `roles` (with `role_names`) says what an object is, `syntax.topics` what else a name
speaks of. Both compare whole words. Comments, docstrings and the names of unrelated things are never evidence.
"""
