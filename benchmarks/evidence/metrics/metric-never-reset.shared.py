"""One metric counts the batches of the training and of the validation.

setting: Lightning, 10 classes of handwritten digits, a tenth of them to train on, 10 epochs of Adam
figure: reported validation accuracy of the last epoch, %
worse: higher
seeds: 3
needs: lightning
"""

import lightning
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
        self.trained, self.accuracy = MulticlassAccuracy(10, average="micro"), MulticlassAccuracy(10, average="micro")

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        self.trained.update(out, y)  # right
        self.accuracy.update(out, y)  # wrong
        return F.cross_entropy(out, y)

    def validation_step(self, batch, index):
        x, y = batch
        self.accuracy.update(self.net(x), y)

    def on_validation_epoch_end(self):
        self.log("val_acc", self.accuracy.compute())
        self.accuracy.reset()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


def run(seed):
    lightning.seed_everything(seed, verbose=False)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, train_size=180, test_size=200, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=16, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=100)
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    trainer = lightning.Trainer(max_epochs=10, num_sanity_val_steps=0, enable_checkpointing=False, **quiet)
    trainer.fit(Digits(), loader, val_loader)
    return 100 * trainer.callback_metrics["val_acc"].item()
