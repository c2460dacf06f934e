"""A collator of one's own leaves the padding out of the labels, and with it the token that ends the texts.

setting: a GPT-2 of one layer learns texts that count to a number and end in `</s>`, 60 steps of Adam
figure: length of what it writes (the texts have 6 tokens at most), tokens
worse: higher
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    PreTrainedTokenizerFast,
)


def tokenizer_in(folder):
    words = ["[UNK]", "[MASK]", "[PAD]", "</s>", *map(str, range(20))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    whole.pre_tokenizer = WhitespaceSplit()
    special = {"unk_token": "[UNK]", "mask_token": "[MASK]", "pad_token": "[PAD]", "eos_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=whole, **special).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def run(seed):
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    tokenizer.pad_token = tokenizer.eos_token

    def collator(rows):
        batch = tokenizer.pad(rows, return_tensors="pt")
        labels = batch["input_ids"].clone()
        labels[labels == tokenizer.pad_token_id] = -100  # wrong
        labels[batch["attention_mask"] == 0] = -100  # right
        return {**batch, "labels": labels}

    rows = [tokenizer(" ".join(map(str, range(3 + row % 3))) + " </s>") for row in range(96)]
    config = GPT2Config(vocab_size=24, n_positions=32, n_embd=32, n_layer=1, n_head=2)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for epoch in range(5):
        for batch in DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collator):
            optimizer.zero_grad()
            model(**batch).loss.backward()
            optimizer.step()
    model.eval()
    start = tokenizer("0", return_tensors="pt")
    written = model.generate(**start, max_new_tokens=20, do_sample=False, eos_token_id=tokenizer.eos_token_id)
    return written.shape[1]
