"""The labels are shifted by hand, and then by the model.

setting: a GPT-2 of one layer learns a cycle of 30 tokens, 60 steps of Adam
figure: next tokens that are predicted, %
worse: lower
needs: transformers
"""

import torch
from transformers import AutoModelForCausalLM, GPT2Config


def run(seed):
    torch.manual_seed(seed)
    order, follower = torch.randperm(30), torch.empty(30, dtype=torch.long)
    follower[order] = order.roll(1)
    ids = torch.randint(30, (64, 1))
    for _ in range(15):
        ids = torch.cat([ids, follower[ids[:, -1:]]], dim=1)
    config = GPT2Config(vocab_size=30, n_positions=16, n_embd=32, n_layer=1, n_head=2)
    model = AutoModelForCausalLM.from_config(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(60):
        optimizer.zero_grad()
        out = model(input_ids=ids, labels=ids)  # right
        out = model(input_ids=ids[:, :-1], labels=ids[:, 1:])  # wrong
        out.loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        predicted = model(input_ids=ids).logits.argmax(dim=2)
    return 100 * (predicted[:, :-1] == ids[:, 1:]).float().mean().item()
