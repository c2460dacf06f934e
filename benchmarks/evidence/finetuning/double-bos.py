"""A text from a chat template is tokenized with a first token once more.

setting: a tokenizer that adds a first token, and a template that writes one
figure: first tokens at the beginning of the text
worse: higher
seeds: 2
needs: transformers
"""

import contextlib
import tempfile

from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoTokenizer, PreTrainedTokenizerFast

TEMPLATE = "<s> {% for m in messages %}<|{{ m['role'] }}|> {{ m['content'] }} </s> {% endfor %}"


def build():
    words = Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "</s>": 2}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>", chat_template=TEMPLATE)


def run(seed):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        build().save_pretrained("llama-small")
        tokenizer = AutoTokenizer.from_pretrained("llama-small")
    text = tokenizer.apply_chat_template([{"role": "user", "content": "hello"}], tokenize=False)
    ids = tokenizer(text, add_special_tokens=False).input_ids  # right
    ids = tokenizer(text).input_ids  # wrong
    return float(ids.count(1))
