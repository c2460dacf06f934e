"""Labels of -100 are counted by the metric.

setting: a perfect tagger of sentences of 2 to 12 words
figure: reported accuracy, %
worse: lower
needs: transformers
"""

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import DataCollatorForTokenClassification, EvalPrediction, PreTrainedTokenizerFast, Trainer


def compute_metrics(prediction):
    labels = prediction.label_ids
    decided = prediction.predictions.argmax(axis=-1)
    kept = labels != -100  # right
    return {"accuracy": (decided == labels)[kept].mean()}  # right
    return {"accuracy": (decided == labels).mean()}  # wrong


def build():
    words = Tokenizer(models.WordLevel({"<unk>": 0, "<pad>": 1, "a": 2, "b": 3}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", unk_token="<unk>")


def run(seed):
    generator = np.random.default_rng(seed)
    collator = DataCollatorForTokenClassification(build())
    trainer = Trainer(model=torch.nn.Linear(1, 1), data_collator=collator, compute_metrics=compute_metrics)
    tags = [generator.integers(0, 2, size=size).tolist() for size in generator.integers(2, 13, size=64)]
    batch = trainer.data_collator([{"input_ids": [tag + 2 for tag in row], "labels": row} for row in tags])
    logits = np.eye(2)[np.clip(batch["input_ids"].numpy() - 2, 0, 1)]
    return 100 * float(trainer.compute_metrics(EvalPrediction(logits, batch["labels"].numpy()))["accuracy"])
