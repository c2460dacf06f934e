"""What does a language model learn from its texts, and what of it learns?

    texts        what is written around the fields of a row, and which text do ids stand for?
    chats        what does a chat template put around messages, and is it put there once?
    endings      does the model learn where an answer ends?
    templates    is the model asked in the words that it was tuned with?
    prompts      is the part of a text that is not to be learned counted in tokens?
    tokens       what do the labels hold, and what is left out of the loss?
    filled_labels  are labels filled up with the token that pads?
    padding      which token pads a text, and is it the one that ends it?
    finished     where do texts get the token that ends them?
    next_tokens  is the loss about the next token?
    shifting     were the labels shifted before the model shifts them?
    own_shifts   which models of one's own shift the labels that they are given?
    adapters     what do adapters train besides themselves?
    trainers     does a trainer of transformers count and measure what was meant?

May import: the floors below and the domains of `training`. None of these imports this package.
"""
