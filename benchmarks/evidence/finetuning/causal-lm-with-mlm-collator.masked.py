"""A model that fills in hidden tokens is trained with a collator that hides none.

setting: a BERT of one layer learns texts that count, 300 steps of Adam
figure: hidden tokens that are filled in, %
worse: lower
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    DataCollatorForLanguageModeling,
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
    rows = [tokenizer(" ".join(str((row + step) % 20) for step in range(12))) for row in range(96)]
    small = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 128}
    model = AutoModelForMaskedLM.from_config(BertConfig(vocab_size=24, max_position_embeddings=32, **small))
    collator = DataCollatorForLanguageModeling(tokenizer)  # right
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)  # wrong
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    model.train()
    for epoch in range(100):
        for batch in DataLoader(rows, batch_size=32, shuffle=True, collate_fn=collator):
            optimizer.zero_grad()
            model(**batch).loss.backward()
            optimizer.step()
    model.eval()
    ids = torch.tensor([row["input_ids"] for row in rows])
    hidden = ids.clone()
    hidden[:, 5] = tokenizer.mask_token_id
    with torch.no_grad():
        predicted = model(input_ids=hidden).logits.argmax(dim=2)
    return 100 * (predicted[:, 5] == ids[:, 5]).float().mean().item()
