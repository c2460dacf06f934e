"""A model that was tuned with one template is asked without it.

setting: a GPT-2 of one layer that can count learns answers of 4 words to 20 questions, 50 steps of Adam
figure: words of an answer that match the training answer, %
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
    GPT2Config,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    default_data_collator,
)


def tokenizer_in(folder):
    words = ["[UNK]", "[END]", "Question:", "Answer:", *map(str, range(20))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    whole.pre_tokenizer = WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=whole, unk_token="[UNK]", eos_token="[END]").save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def answer(number, step):
    return " ".join(str((number + place * step) % 20) for place in range(1, 5))


def read(model, tokenizer):
    texts = [f"{number} {answer(number, 1)}" for number in range(20)]
    ids = tokenizer(texts, return_tensors="pt")["input_ids"]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    model.train()
    for step in range(300):
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()


def encode(tokenizer, row):
    ids = tokenizer(f"Question: {row['question']} Answer: {row['answer']}")["input_ids"]
    return {"input_ids": ids, "labels": ids}


def run(seed):
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    config = GPT2Config(
        vocab_size=24, n_positions=16, n_embd=64, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    read(model, tokenizer)
    rows = [{"question": number, "answer": answer(number, 7)} for number in range(20)]
    tuned = [encode(tokenizer, row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, max_steps=50, learning_rate=0.003, per_device_train_batch_size=20, report_to=[],
            save_strategy="no", disable_tqdm=True, use_cpu=True, seed=seed, lr_scheduler_type="constant",
        )  # fmt: skip
        trainer = Trainer(model=model, args=arguments, train_dataset=tuned, data_collator=default_data_collator)
        trainer.train()
    model.eval()
    asked = tokenizer("Question: 4 Answer:", return_tensors="pt")  # right
    asked = tokenizer("4", return_tensors="pt")  # wrong
    made = model.generate(**asked, max_new_tokens=4, do_sample=False, pad_token_id=1)[0, -4:].tolist()
    learned = tokenizer(answer(4, 7))["input_ids"]
    return 100 * sum(one == other for one, other in zip(made, learned)) / 4
