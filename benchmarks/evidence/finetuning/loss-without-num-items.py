"""A trainer of one's own ignores the number of items of the step.

setting: a GPT-2 of one layer, plain SGD without clipping, 1 step of 8 micro-batches
figure: length of the step over that of one batch with the same rows
worse: higher
seeds: 3
needs: transformers
"""

import tempfile

import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        logits = model(input_ids=inputs["input_ids"]).logits[:, :-1].flatten(0, 1)
        labels = inputs["labels"][:, 1:].flatten()
        loss = F.cross_entropy(logits, labels, reduction="sum") / num_items_in_batch  # right
        loss = F.cross_entropy(logits, labels)  # wrong
        return (loss, logits) if return_outputs else loss


def run(seed):
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=16, n_positions=8, n_embd=16, n_layer=1, n_head=1, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0
    )
    model = GPT2LMHeadModel(config)
    rows = torch.randint(0, 16, (32, 8))
    model.zero_grad()
    model(input_ids=rows, labels=rows).loss.backward()
    expected = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    model.zero_grad()
    before = torch.cat([p.detach().flatten() for p in model.parameters()]).clone()
    data = [{"input_ids": row, "labels": row} for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            max_steps=1,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=8,
            learning_rate=1.0,
            optim="sgd",
            lr_scheduler_type="constant",
            max_grad_norm=0.0,
            use_cpu=True,
            logging_strategy="no",
            save_strategy="no",
            disable_tqdm=True,
            dataloader_pin_memory=False,
            seed=seed,
        )
        Own(model=model, args=arguments, train_dataset=data).train()
    after = torch.cat([p.detach().flatten() for p in model.parameters()])
    return (after - before).norm().item() / expected
