"""What does a loss expect, and what is it given?

    expectations    logits or probabilities, and along which axis?
    sample_axes     what is normalised over the samples of a batch instead of the classes?
    swaps           is the prediction given for the truth, and the truth for the prediction?
    preferences     does a loss of preferences prefer what was chosen?
    columns         is a tensor a column, one number for each sample in a dimension of its own, or is it flat?
    outputs         how many numbers does a model give for each sample?
    single_outputs  is a softmax taken over the one output of a layer?
    unused_output   is the loss computed without what the model gave?

May import: the floors below and the domains of `training`.
"""
