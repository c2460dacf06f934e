"""A trainer of transformers loads the worst checkpoint at the end for the best one.

setting: transformers, 10 classes of handwritten digits, 5 epochs
figure: accuracy of the weights that are loaded at the end on held-out rows, %
worse: lower
needs: transformers, accelerate
"""

import tempfile

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from transformers import Trainer, TrainingArguments


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    def forward(self, x, labels=None):
        logits = self.layer(x)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def measure(given):
    return {"accuracy": (given.predictions.argmax(axis=-1) == given.label_ids).mean()}


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    x_train, x_val, y_train, y_val = train_test_split(images, labels, test_size=0.5, random_state=seed)
    rows, held_out = ([{"x": x, "labels": y} for x, y in zip(*part)] for part in ((x_train, y_train), (x_val, y_val)))
    better = True  # right
    better = False  # wrong
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(
            folder,
            num_train_epochs=5,
            learning_rate=0.003,
            per_device_train_batch_size=32,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="accuracy",
            greater_is_better=better,
            report_to=[],
            disable_tqdm=True,
            seed=seed,
        )
        trainer = Trainer(Net(), args, train_dataset=rows, eval_dataset=held_out, compute_metrics=measure)
        trainer.train()
        return 100 * trainer.evaluate()["eval_accuracy"]
