"""Adapters are put into a classifier without saying that its new head is to be trained.

setting: adapters of rank 4 in a small BERT, 8 classes of sequences by a word of theirs, 80 steps of Adam
figure: accuracy after the adapters were saved and loaded, %
worse: lower
needs: transformers, peft
"""

import tempfile

import torch
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from transformers import AutoModelForSequenceClassification, BertConfig, BertModel


def adapted(model):
    config = LoraConfig(task_type=TaskType.SEQ_CLS, r=4, target_modules=["query", "value"])  # right
    config = LoraConfig(r=4, target_modules=["query", "value"])  # wrong
    return get_peft_model(model, config)


def loaded(folder):
    return AutoModelForSequenceClassification.from_pretrained(folder, num_labels=8)


def run(seed):
    torch.manual_seed(seed)
    classes = torch.randint(8, (256,))
    ids = torch.randint(8, 16, (256, 6))
    ids[:, 3] = classes
    with tempfile.TemporaryDirectory() as base, tempfile.TemporaryDirectory() as saved:
        config = BertConfig(
            vocab_size=16, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
        )
        BertModel(config).save_pretrained(base)
        model = adapted(loaded(base))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        model.train()
        for step in range(80):
            optimizer.zero_grad()
            model(input_ids=ids, labels=classes).loss.backward()
            optimizer.step()
        model.save_pretrained(saved)
        restored = PeftModel.from_pretrained(loaded(base), saved)
    restored.eval()
    with torch.no_grad():
        found = restored(input_ids=ids).logits.argmax(dim=1)
    return 100 * (found == classes).float().mean().item()
