"""What a training program is made of: the facts that rules ask for, established once.

The rest of the core knows what an expression is (`Value`), what happens (`Event`) and in which order (`Flow`). This
package knows what that means for training: which object is the model, which loop trains it, in which mode it is when it
is measured, what is in `.grad`, which rows were held out. Each module is one **domain**:

    roles      what is this object in the program: model, optimizer, loader, training rows ...?
    phases     what is this loop or function doing: training, measuring, preparing?
    modes      in which mode is this model when it runs: train, eval, either, unknown?
    gradients  what is in `.grad` of these parameters: clean, filled, used? (`accumulation`: of how many micro-batches?)
    precision  at which scale are these gradients, and who takes it out again?
    graphs     where does the graph of a loss end, and which of its terms train nothing?
    schedules  what does a learning-rate schedule count? (`ticks`: when does it tick?)
    rows       which rows are these, where were they divided, what was fitted on them, who reads them, what is selected?
    seeds      from which random stream does a call draw, and does something fix it?
    lifetimes  how long does an optimizer live, and the parameters that it holds?
    layers     which modules does a module consist of, and does PyTorch know them?
    errors     what does a `try` protect, and what do its handlers do?

A domain is a small lattice of answers, the events that change the answer, and what makes it unknown. It answers with an
`Answer`: the value, the evidence for it and the places that explain it. A rule puts the answers that its finding rests
on into `Finding(evidence=...)`, and the engine derives from the weakest of them whether the finding is certain.

May import: the rest of `mllint.semantics`. It knows no rule, writes no message, and decides nothing about severity:
that a model is measured in train mode is a fact, that this is a fault is for a rule to say.

Names are evidence, in two tables: `roles` (with `role_names`) says what an object is, `syntax.topics` what else a name
speaks of. Both compare whole words. Comments, docstrings and the names of unrelated things are never evidence.
"""
