"""A model of the next token is trained with a collator that hides tokens.

setting: a GPT-2 of one layer learns texts that count, 60 steps of Adam
figure: next tokens that are predicted, %
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
    Trainer,
    TrainingArguments,
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
    config = GPT2Config(vocab_size=24, n_positions=32, n_embd=32, n_layer=1, n_head=2)
    model = AutoModelForCausalLM.from_config(config)
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)  # right
    collator = DataCollatorForLanguageModeling(tokenizer)  # wrong
    args = TrainingArguments(folder, num_train_epochs=5, learning_rate=0.01, report_to=[], disable_tqdm=True, seed=seed)
    Trainer(model=model, args=args, data_collator=collator, train_dataset=rows).train()
    model.eval()
    ids = torch.tensor([row["input_ids"] for row in rows])
    with torch.no_grad():
        predicted = model(input_ids=ids).logits.argmax(dim=2)
    return 100 * (predicted[:, :-1] == ids[:, 1:]).float().mean().item()
