"""A checkpoint of the best epoch is kept, and a trainer of Lightning tests the module that it has fitted.

setting: Lightning, 100 handwritten digits with a quarter of the labels wrong, 100 epochs of Adam, the best by 400 clean
  ones
figure: accuracy on test rows, %
worse: lower
needs: lightning
"""

import tempfile

import lightning
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))

    def training_step(self, batch, index):
        x, y = batch
        return F.cross_entropy(self.net(x), y)

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_acc", (self.net(x).argmax(dim=1) == y).float().mean())

    def test_step(self, batch, index):
        x, y = batch
        self.log("test_acc", (self.net(x).argmax(dim=1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.003)


def run(seed):
    lightning.seed_everything(seed, verbose=False)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, train_size=500, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    y_train[:25] = torch.randint(10, (25,))
    loader = DataLoader(TensorDataset(x_train[:100], y_train[:100]), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_train[100:], y_train[100:]), batch_size=400)
    test_loader = DataLoader(TensorDataset(x_test, y_test), batch_size=len(x_test))
    with tempfile.TemporaryDirectory() as folder:
        best = ModelCheckpoint(folder, monitor="val_acc", mode="max", save_weights_only=True)
        quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
        trainer = lightning.Trainer(max_epochs=100, callbacks=[best], num_sanity_val_steps=0, **quiet)
        model = Digits()
        trainer.fit(model, loader, val_loader)
        found = trainer.test(model, test_loader, ckpt_path="best", verbose=False)  # right
        found = trainer.test(model, test_loader, verbose=False)  # wrong
    return 100 * found[0]["test_acc"]
