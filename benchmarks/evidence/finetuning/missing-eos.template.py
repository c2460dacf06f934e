"""Questions with their answers are learned as one text, without the token that ends it.

setting: a GPT-2 of one layer learns 20 questions and answers of 4 words, 100 steps of Adam, and writes up to 20
figure: answers that end where they should, %
worse: lower
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    GPT2Config,
    PreTrainedTokenizerFast,
)


def tokenizer_in(folder):
    words = ["[UNK]", "[PAD]", "[END]", "Question:", "Answer:", *map(str, range(20))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    whole.pre_tokenizer = WhitespaceSplit()
    made = PreTrainedTokenizerFast(tokenizer_object=whole, unk_token="[UNK]", pad_token="[PAD]", eos_token="[END]")
    made.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def encode(tokenizer, row):
    text = f"Question: {row['question']} Answer: {row['answer']} "
    ids = tokenizer(text + tokenizer.eos_token)  # right
    ids = tokenizer(text)  # wrong
    return {"input_ids": ids["input_ids"], "attention_mask": ids["attention_mask"]}


def rows():
    for number in range(20):
        answer = " ".join(str((number * 3 + place * 7) % 20) for place in range(4))
        yield {"question": number, "answer": answer}


def run(seed):
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    batch = DataCollatorForLanguageModeling(tokenizer, mlm=False)([encode(tokenizer, row) for row in rows()])
    config = GPT2Config(vocab_size=25, n_positions=32, n_embd=32, n_layer=1, n_head=2, bos_token_id=2, eos_token_id=2)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(100):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
    model.eval()
    ended = 0
    for row in rows():
        asked = tokenizer(f"Question: {row['question']} Answer: ", return_tensors="pt")
        made = model.generate(**asked, max_new_tokens=20, do_sample=False, pad_token_id=1)
        ended += made[0, 3:].tolist() == [*tokenizer(row["answer"])["input_ids"], 2]
    return 100 * ended / 20
