"""The prompt is left out of the loss by its length in characters.

setting: a GPT-2 of one layer learns answers of 12 words to prompts of 3 words (7 or 8 characters), 80 steps of Adam
figure: words of the answer that are predicted, %
worse: lower
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, PreTrainedTokenizerFast


def tokenizer_in(folder):
    words = ["[UNK]", "ask", ":", *map(str, range(20))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    whole.pre_tokenizer = WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=whole, unk_token="[UNK]").save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def encode(tokenizer, row):
    prompt = f"ask {row % 20} : "
    answer = " ".join(str((row * 3 + place * 7) % 20) for place in range(12))
    ids = tokenizer(prompt + answer)["input_ids"]
    size = len(tokenizer(prompt)["input_ids"])  # right
    size = len(prompt)  # wrong
    return {"input_ids": ids, "labels": [-100] * size + ids[size:]}


def run(seed):
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    rows = [encode(tokenizer, row) for row in range(20)]
    batch = {key: torch.tensor([row[key] for row in rows]) for key in ("input_ids", "labels")}
    config = GPT2Config(vocab_size=24, n_positions=16, n_embd=32, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(80):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        found = model(input_ids=batch["input_ids"]).logits[:, 2:-1].argmax(dim=-1)
    return 100 * (found == batch["input_ids"][:, 3:]).float().mean().item()
