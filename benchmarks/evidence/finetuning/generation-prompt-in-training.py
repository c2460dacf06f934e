"""A text to train on ends with the beginning of another answer.

setting: a GPT-2 of one layer learns 20 answers, 100 steps of Adam
figure: probability that a text ends after its answer, %
worse: lower
needs: transformers
"""

import tempfile

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, PreTrainedTokenizerFast


def tokenizer_in(folder):
    words = ["[UNK]", "[PAD]", "<s>", "</s>", "user", "assistant", *map(str, range(20))]
    whole = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    whole.pre_tokenizer = WhitespaceSplit()
    whole.post_processor = TemplateProcessing("<s> $A", special_tokens=[("<s>", 2)])
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "bos_token": "<s>", "eos_token": "</s>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=whole, **special)
    tokenizer.chat_template = (
        "<s>{% for m in messages %} {{ m.role }} {{ m.content }} </s>{% endfor %}"
        "{% if add_generation_prompt %} assistant{% endif %}"
    )
    tokenizer.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def run(seed):
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_in(folder)
    rows = []
    for row in range(20):
        messages = [{"role": "user", "content": str(row)}, {"role": "assistant", "content": str((7 * row + 3) % 20)}]
        text = tokenizer.apply_chat_template(messages, tokenize=False)  # right
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)  # wrong
        rows.append(tokenizer(text + " [PAD] [PAD]", return_tensors="pt", add_special_tokens=False)["input_ids"][:, :9])
    ids = torch.cat(rows)
    config = GPT2Config(vocab_size=26, n_positions=32, n_embd=32, n_layer=1, n_head=2)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(100):
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        behind = model(input_ids=ids[:, :7]).logits[:, -1].softmax(dim=1)
    return 100 * behind[:, tokenizer.pad_token_id].mean().item()
