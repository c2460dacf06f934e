"""Tokens are added to a model with adapters.

setting: a GPT-2 of two layers, two new tokens, 50 steps on texts that hold them
figure: change of the embeddings of the new tokens
worse: lower
seeds: 3
needs: transformers, peft
"""

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast


def run(seed):
    torch.manual_seed(seed)
    words = Tokenizer(models.WordLevel({"<unk>": 0} | {f"w{n}": n for n in range(1, 16)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>")
    model = GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=16, n_embd=32, n_layer=2, n_head=2))
    tokenizer.add_tokens(["<call>", "<result>"])
    model.resize_token_embeddings(len(tokenizer))
    config = LoraConfig(target_modules=["c_attn"], fan_in_fan_out=True, modules_to_save=["wte", "lm_head"])  # right
    config = LoraConfig(target_modules=["c_attn"], fan_in_fan_out=True)  # wrong
    model = get_peft_model(model, config)
    before = model.get_input_embeddings().weight[16:].detach().clone()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    model.train()
    for step in range(50):
        ids = torch.tensor(tokenizer(["w1 <call> w2 <result> w3"] * 8).input_ids)
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    return (model.get_input_embeddings().weight[16:] - before).norm().item()
