"""Labels are filled up with the padding token: by a list, by `pad_sequence`, by a collator.

setting: a GPT-2 of one layer learns texts of 3 words in 32 places, 40 steps of Adam
figure: next words that are predicted, %
worse: lower
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch.nn.utils.rnn import pad_sequence
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
    pad = tokenizer.pad_token_id

    def collate(rows):
        ids = pad_sequence([row["input_ids"] for row in rows], batch_first=True, padding_value=pad)
        labels = pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=-100)  # right: sequences
        labels = pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=pad)  # wrong: sequences
        return {"input_ids": ids, "attention_mask": ids.ne(pad), "labels": labels}

    texts = [f"{row % 20} {(3 * row + 1) % 20} {(7 * row + 2) % 20}" for row in range(64)]
    rows = []
    for text in [*texts, " ".join(["0"] * 32)]:
        ids = tokenizer(text)["input_ids"]
        labels = ids
        labels = ids + [tokenizer.pad_token_id] * (32 - len(ids))  # wrong: a list
        rows.append({"input_ids": torch.tensor(ids), "labels": torch.tensor(labels)})
    batch = collate(rows)
    config = GPT2Config(vocab_size=24, n_positions=32, n_embd=32, n_layer=1, n_head=2)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(40):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
    model.eval()
    ids = batch["input_ids"][:-1]
    with torch.no_grad():
        predicted = model(input_ids=ids).logits.argmax(dim=2)
    return 100 * (predicted[:, :2] == ids[:, 1:3]).float().mean().item()
