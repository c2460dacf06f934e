"""A step that Lightning calls for each batch zeroes the gradients of four micro-batches that should add up.

setting: Lightning, 10 classes of handwritten digits, 5 epochs of SGD, 4 micro-batches of 8 rows for each step
figure: accuracy on held-out rows, %
worse: lower
needs: lightning
"""

import lightning
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()  # wrong
        x, y = batch
        self.manual_backward(F.cross_entropy(self.net(x), y) / 4)
        if (batch_idx + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()  # right

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.2)


def run(seed):
    lightning.seed_everything(seed, verbose=False)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=8, shuffle=True)
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    model = Digits()
    lightning.Trainer(max_epochs=5, enable_checkpointing=False, **quiet).fit(model, loader)
    with torch.no_grad():
        return 100 * (model.net(x_test).argmax(dim=1) == y_test).float().mean().item()
