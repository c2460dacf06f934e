"""Training stops early by a metric in the wrong direction.

setting: Lightning, 10 classes of handwritten digits, at most 20 epochs of SGD
figure: accuracy on held-out rows at the end, %
worse: lower
seeds: 3
needs: lightning
"""

import lightning
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    def training_step(self, batch, index):
        x, y = batch
        return F.cross_entropy(self.layer(x), y)

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_acc", (self.layer(x).argmax(dim=1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def run(seed):
    lightning.seed_everything(seed, verbose=False)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=1000)
    stop = EarlyStopping("val_acc", patience=3, mode="max")  # right
    stop = EarlyStopping("val_acc", patience=3)  # wrong
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    trainer = lightning.Trainer(
        max_epochs=20, callbacks=[stop], num_sanity_val_steps=0, enable_checkpointing=False, **quiet
    )
    trainer.fit(Digits(), loader, val_loader)
    return 100 * trainer.callback_metrics["val_acc"].item()
