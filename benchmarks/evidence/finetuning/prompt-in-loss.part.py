"""As many labels are left out of the loss as the question has tokens, and what stands before it is learned.

setting: a GPT-2 of one layer learns answers of 4 words to prompts of 22 to 26 words that cannot be foreseen, 80 steps
figure: words of the answer that are predicted, %
worse: lower
needs: transformers
"""

import random
import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, PreTrainedTokenizerFast


def tokenizer_in(folder):
    words = ["[PAD]", "[EOS]", "given", "answer", *map(str, range(20)), *(f"w{number}" for number in range(200))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[PAD]"))
    whole.pre_tokenizer = WhitespaceSplit()
    fast = PreTrainedTokenizerFast(tokenizer_object=whole, pad_token="[PAD]", eos_token="[EOS]")
    fast.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def draw(rng, count):
    rows = []
    for _ in range(count):
        key = rng.randrange(20)
        talk = [f"w{rng.randrange(200)}" for _ in range(rng.randint(19, 23))]
        answer = [str((key * 3 + place * 7) % 20) for place in range(4)]
        rows.append({"context": " ".join(talk), "question": str(key), "answer": " ".join(answer)})
    return rows


def encode(row, tokenizer):
    question = row["question"]
    prompt = f"given {row['context']} answer {question} "
    ids = tokenizer(f"{prompt}{row['answer']} {tokenizer.eos_token}")["input_ids"]
    size = len(tokenizer(prompt)["input_ids"])  # right
    size = len(tokenizer(question)["input_ids"])  # wrong
    return {"input_ids": torch.tensor(ids), "labels": torch.tensor([-100] * size + ids[size:])}


def collate(rows, tokenizer):
    encoded = [encode(row, tokenizer) for row in rows]
    ids = pad_sequence([row["input_ids"] for row in encoded], batch_first=True)
    labels = pad_sequence([row["labels"] for row in encoded], batch_first=True, padding_value=-100)
    return {"input_ids": ids, "labels": labels}


def predicted(model, tokenizer, rows):
    hits = 0
    for row in rows:
        ids = encode(row, tokenizer)["input_ids"].unsqueeze(0)
        hits += (model(input_ids=ids).logits[0, -6:-2].argmax(dim=-1) == ids[0, -5:-1]).sum().item()
    return 100 * hits / (4 * len(rows))


def run(seed):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    size = {"vocab_size": 224, "n_positions": 40, "n_embd": 32, "n_layer": 1, "n_head": 2}
    model = AutoModelForCausalLM.from_config(GPT2Config(**size, bos_token_id=1, eos_token_id=1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(80):
        optimizer.zero_grad()
        model(**collate(draw(rng, 32), tokenizer)).loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return predicted(model, tokenizer, draw(rng, 50))
