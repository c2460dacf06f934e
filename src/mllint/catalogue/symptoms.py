"""What does somebody see whose training is silently wrong? The symptoms that pages name, and how to find them by words.

Advice on debugging goes from a cause to what it looks like. This table goes the other way: each symptom has a name,
which the `symptoms` of a page may use and no other, one sentence about what is seen, and what to look at besides the
code that mllint reads. Which rules belong to a symptom is written once, on their pages.

    find("validation accuracy jumps around")    ->  [validation-jumps, ...]

Free words are found by the words they share with a symptom's name, title, sentence and the phrases in `words`, after
endings and synonyms are taken off; a rare word says more than a common one. There is no language model in it and no
index: words that no symptom has find nothing, and are told so.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SYMPTOMS", "Symptom", "find"]


class Symptom(NamedTuple):
    """What somebody sees.

    Attributes:
        name: as pages and the command line write it.
        title: the same for a heading.
        seen: one sentence, what it looks like.
        look: what to look at that no linter can see, a sentence each.
        words: other phrases that people use for it, for `find`.
    """

    name: str
    title: str
    seen: str
    look: tuple[str, ...] = ()
    words: str = ""


_ONE_BATCH = "Train on one batch: a model that can't learn ten samples by heart has a bug, not a tuning problem."
_GRADIENTS = "After `backward()`, list the parameters whose `.grad` is None or zero: they are cut off from the loss."
_RATE = "Log the learning rate that the optimizer really uses, at every step, and compare it with the plan."
_TWICE = "Evaluate the same weights twice on the same data: two different numbers mean that chance is still at work."
_OVERLAP = "Look for rows, users, patients or days that are in both parts; drop duplicates before the split."

_TABLE = (
    Symptom(
        "loss-does-not-move",
        "The loss does not move",
        "The loss stays about where it began, or wobbles around it from batch to batch.",
        (
            _GRADIENTS,
            "Print one weight before and after `step()`: gradients without a change point at the optimizer.",
            "Compare the first loss with ln(C) for C balanced classes: if it differs, look at labels and outputs.",
            _ONE_BATCH,
        ),
        "stuck constant flat never falls no learning does nothing accuracy at chance random guess weights unchanged "
        "predicts the same class outputs one value collapse",
    ),
    Symptom(
        "loss-plateaus-high",
        "The loss falls, then stays too high",
        "The loss falls at first and then levels off far above what the data allow.",
        (
            _ONE_BATCH,
            _RATE,
            "Compute the lowest value that the loss can take: for a softmax taken twice with 10 classes it is 1.46.",
        ),
        "plateau stalls levels off saturates underfits underfitting low accuracy stops improving",
    ),
    Symptom(
        "slow-learning",
        "It learns, but slowly",
        "The curves have the right shape and take many times more steps than others report.",
        (
            _RATE,
            "Count optimizer steps, not batches, when you compare with somebody else's run.",
            "Look at the norm of the updates relative to the weights: about a thousandth per step is usual.",
        ),
        "slow convergence converges late too many epochs takes forever",
    ),
    Symptom(
        "loss-diverges",
        "The loss diverges or has spikes",
        "The loss falls for a while, then oscillates, jumps up or explodes.",
        (
            "Log the norm of the gradients: growth over many steps means that something adds up, a peak is a batch.",
            _RATE,
            "Mind a smaller learning rate that helps only for a while: it hides the cause.",
        ),
        "explode blows up unstable oscillates exploding gradients increases",
    ),
    Symptom(
        "nan-loss",
        "NaN after some steps",
        "The loss becomes NaN or infinite after it was fine for some steps.",
        (
            "Run some steps under `torch.autograd.detect_anomaly()`: it names the operation that made the first NaN.",
            "Look for `log`, division, `sqrt` and `exp` of what can be zero or large, also in normalisations.",
            "Save the batch at which it happens: an empty target or an infinite input is found in a minute.",
            "With float16, look at the scale of the scaler: a scale that goes on falling has met real infinities.",
        ),
        "inf infinite not a number overflow nans",
    ),
    Symptom(
        "negative-loss",
        "The loss is negative",
        "A loss that cannot be below zero is, and goes on falling.",
        ("Check what the loss expects: probabilities, their logarithms or scores, and in which order.",),
        "below zero",
    ),
    Symptom(
        "loss-falls-metric-does-not",
        "The loss falls, the metric does not follow",
        "The loss improves all the time, accuracy or recall stay where they are or get worse.",
        (
            "Compute the metric of one batch by hand, from the same outputs that the loss gets.",
            "Look at ten predictions next to their labels: a constant class, or a shift by one, is seen at once.",
        ),
        "accuracy does not improve loss goes down but wrong predictions",
    ),
    Symptom(
        "part-of-the-model-does-not-train",
        "Part of the model does not train",
        "Some layers keep their first values, while the rest of the model learns around them.",
        (
            _GRADIENTS,
            "Compare the ids of `model.parameters()` with those in `optimizer.param_groups`.",
        ),
        "layers do not learn head encoder weights not updated none gradient missing parameters",
    ),
    Symptom(
        "one-term-has-no-effect",
        "One term of the loss has no effect",
        "The value of a term is printed and plotted, and its weight makes no difference.",
        ("Train on that term alone: `backward()` then raises, or no parameter moves.",),
        "auxiliary regulariser regularizer penalty loss weight ignored term",
    ),
    Symptom(
        "fewer-parameters-than-expected",
        "The model has fewer parameters than it should",
        "The number of parameters is smaller than the one in the paper, though the layers are all there.",
        ("Print `sum(p.numel() for p in model.parameters())` and compare it with a count by hand.",),
        "parameter count small capacity too small model",
    ),
    Symptom(
        "frozen-weights-change",
        "Frozen weights change",
        "A backbone that is meant to be frozen has other weights after training.",
        (
            "List the parameters with `requires_grad` and compare a checksum of the backbone before and after.",
            "Mind the running statistics of batch norm: they are buffers, and move in train mode however frozen.",
        ),
        "freeze backbone pretrained forgets catastrophic forgetting unfrozen requires_grad",
    ),
    Symptom(
        "setting-has-no-effect",
        "A setting has no effect",
        "An option, a clipping, a freeze or a schedule is there, and the run is the same without it.",
        (
            "Print what the program uses, not what was passed to it, at the place where it is used.",
            "Set it to something absurd: a run that does not change does not read it.",
        ),
        "flag option argument ignored ablation no difference clipping early stopping regularisation dropout "
        "argparse bool boolean",
    ),
    Symptom(
        "augmentation-has-little-effect",
        "Augmentation has little effect",
        "Training with augmentation is hardly better than without it.",
        ("Save the same sample as it comes out of the loader in two epochs and in two workers, and look at both.",),
        "augmentation does not help same crops repeated random numbers workers",
    ),
    Symptom(
        "learning-rate-wrong",
        "The learning rate is not the one that was planned",
        "The rate never warms up, never decays, or is gone long before the end.",
        (_RATE,),
        "lr schedule scheduler warmup warm-up decay cosine zero too early too late",
    ),
    Symptom(
        "accumulation-changes-the-result",
        "Gradient accumulation changes the result",
        "Training with k micro-batches differs from training with one batch of k times the size, or gains nothing.",
        ("Compare the gradients after one full batch with those after its micro-batches: they have to agree.",),
        "accumulate micro-batch batch size larger batch no gain effective",
    ),
    Symptom(
        "loss-swings-with-the-epoch",
        "The loss swings with the epoch",
        "The training loss rises and falls in the same way in each epoch, or the model knows only what it saw last.",
        ("Print the labels of the first three batches of two epochs.",),
        "every epoch periodic sawtooth last class only one class shuffle order",
    ),
    Symptom(
        "low-confidence",
        "The confidence of predictions stays low",
        "The right class wins, with a probability that stays far from one.",
        ("Look at the largest logits: if they are all between 0 and 1, something has squashed them.",),
        "probabilities never near one uncertain calibration unsure",
    ),
    Symptom(
        "over-fits-early",
        "It over-fits early",
        "The training loss goes on falling and validation turns early, as if there were no regularisation.",
        (
            "Check that dropout and augmentation are on while training, by what they do to one sample.",
            "Compare with a run on half the data: over-fitting proper gets worse.",
        ),
        "overfitting overfit early validation loss rises generalisation gap",
    ),
    Symptom(
        "validation-worse-than-expected",
        "Validation is worse than training promises",
        "Validation is far below training from the start, or much better once the evaluation code is fixed.",
        (
            "Evaluate on the training data with the evaluation code: what was learned has to come out again.",
            "Compare one sample as training sees it with the same one in evaluation: size, order, scale, colours.",
        ),
        "val accuracy low bad lower than train much worse eval mode batchnorm batch norm",
    ),
    Symptom(
        "validation-jumps",
        "The validation metric jumps around",
        "The validation metric goes up and down from epoch to epoch though training is smooth.",
        (
            _TWICE,
            "Count the samples: with 100 of them an accuracy moves by several points by luck alone.",
        ),
        "fluctuates noisy unstable varies erratic val accuracy jumps",
    ),
    Symptom(
        "predictions-vary",
        "One input, two predictions",
        "The same input, given twice, gets two different outputs.",
        (_TWICE,),
        "different predictions same input noisy random inference output changes eval mode dropout at inference",
    ),
    Symptom(
        "predictions-depend-on-the-batch",
        "A prediction depends on its batch",
        "A sample is predicted in one way alone and in another way among others, or with another batch size.",
        ("Predict one sample alone, and in a batch of others: the outputs have to agree to rounding.",),
        "batch size one single sample inference differs from batch production",
    ),
    Symptom(
        "validation-better-than-test",
        "Validation is better than test, or too good to be true",
        "Scores are excellent until the model meets data that nobody has looked at before.",
        (
            _OVERLAP,
            "Shuffle the labels, split and train again: a validation score above chance proves a leak.",
            "Ask for each feature whether it is known at the moment of the prediction.",
            "Keep one part of the data that is evaluated once, at the end.",
        ),
        "leak leakage too good production worse new data generalise no generalisation gap perfect score suspicious "
        "100 99 optimistic overestimates cv cross validation kaggle leaderboard backtest live deployment",
    ),
    Symptom(
        "different-result-each-run",
        "A different result in each run",
        "The same code with the same settings gives another number each time.",
        (
            "Run it three times: the spread is the noise that every comparison has to rise above.",
            "Use `torch.use_deterministic_algorithms(True)`: some GPU kernels add up in any order, whatever the seed.",
            "Write down the versions of libraries, driver and card.",
        ),
        "reproduce reproducible reproducibility replicate nondeterministic seed random varies between runs",
    ),
    Symptom(
        "worse-after-resume",
        "It works, then is worse after a resume",
        "The loss jumps, or slowly climbs, when training goes on from a checkpoint.",
        (
            "Resume after zero steps and compare: loss, learning rate, and the norm of the first update have to agree.",
            "List what the state is: model, optimizer, schedule, scaler, EMA, epoch, sampler and random state.",
        ),
        "restart continue checkpoint diverges after resume resuming regress restored interrupted reload",
    ),
    Symptom(
        "better-after-resume",
        "It is suddenly better after a resume",
        "Validation jumps up when training goes on from a checkpoint.",
        ("Save the indices or names of the held-out rows with the checkpoint, and compare them after the resume.",),
        "resume improves validation jump up restart",
    ),
    Symptom(
        "worse-after-loading",
        "A loaded model is worse than the one that was saved",
        "The model scores well at the end of training and badly after it was loaded from its file.",
        (
            "Compare the outputs of one batch before saving and after loading, both in eval mode.",
            "Print the keys that were missing and those that were left over.",
        ),
        "load checkpoint state dict from scratch untrained pretrained weights not loaded fine-tuning random "
        "unexpected missing keys",
    ),
    Symptom(
        "best-checkpoint-is-not-best",
        "The best checkpoint is not the best",
        "What was kept as the best epoch scores like the last one, or like any other.",
        ("Evaluate the file that was kept and compare with the number that made it the best.",),
        "early stopping restore best weights epoch last",
    ),
    Symptom(
        "works-on-one-machine-only",
        "It works on one machine only",
        "A checkpoint or a split is right where it was made and wrong elsewhere.",
        ("Save the list of classes, and of files, with the checkpoint.",),
        "other machine computer server different order classes swapped cats dogs",
    ),
    Symptom(
        "worse-on-several-devices",
        "It is worse on several devices than on one",
        "The same settings on several GPUs give a lower score than on a single one.",
        (
            "Count what a step sees: batch size per device times devices, and the learning rate that goes with it.",
            "Print the first indices of each rank, for two epochs.",
        ),
        "distributed multi gpu ddp single-gpu lower accuracy",
    ),
    Symptom(
        "fewer-samples-or-steps",
        "Fewer samples or steps than there should be",
        "The run finishes too early or too easily: batches are skipped, samples are missing from the average.",
        ("Count samples read, steps taken and steps skipped, and print them at the end of each epoch.",),
        "skipped batches missing samples dropped count epoch too short training runs but learns nothing",
    ),
    Symptom(
        "memory-grows",
        "Memory grows, or runs out",
        "Memory goes up with the number of batches, or evaluation needs as much as training.",
        (
            "Print `torch.cuda.memory_allocated()` every hundred batches: a straight line is a reference that is kept.",
            "With loader workers, watch the host's memory, too: lists of Python objects are copied bit by bit.",
        ),
        "oom out of memory cuda leak ram",
    ),
    Symptom(
        "slower-than-needed",
        "It is slower than it needs to be",
        "The result is right, and costs more time than it has to.",
        ("Profile ten batches: `torch.profiler` shows whether the device waits for data, for copies or for Python.",),
        "slow training slow evaluation wasted work time speed",
    ),
    Symptom(
        "device-mismatch",
        "Tensors are on different devices",
        "An error says that all tensors have to be on the same device, though everything was moved.",
        ("Print the device of each parameter and buffer: what is missing from the list was never registered.",),
        "expected all tensors same device cuda cpu error runtimeerror",
    ),
    Symptom(
        "device-side-assert",
        "A device-side assert",
        "The GPU stops with an assert that names neither the line nor the value.",
        ("Run the same batch on the CPU, or with CUDA_LAUNCH_BLOCKING=1: the error then names its line.",),
        "cuda error device side assert triggered index out of bounds",
    ),
    Symptom(
        "error-at-construction",
        "Building a model fails in a variant that is rarely used",
        "`AttributeError: cannot assign module before Module.__init__() call`, for one class of several.",
        ("Build each model once in a test, on a machine without a GPU.",),
        "attributeerror cannot assign module before init call",
    ),
    Symptom(
        "generation-never-stops",
        "Generation does not stop",
        "A language model goes on until the limit of new tokens, or repeats itself behind its answer.",
        (
            "Decode one batch of labels, without those of -100: is the token that ends an answer among them?",
            "Print `tokenizer.pad_token_id` and `tokenizer.eos_token_id`: they should differ.",
        ),
        "eos end of text endless repeats runs on max_new_tokens never ends rambling padding",
    ),
    Symptom(
        "precision-and-recall-swapped",
        "Precision and recall are swapped",
        "Precision and recall, or the two sides of a confusion matrix, have changed places.",
        ("Compute both for three samples by hand.",),
        "confusion matrix transposed f1 metric arguments order",
    ),
)

SYMPTOMS: dict[str, Symptom] = {symptom.name: symptom for symptom in _TABLE}
"""All symptoms by name, in the order in which a run meets them."""


# -------------------------------------------------------------------------------------------------------- by free words
_IDLE = frozenset(
    """a about after again all already also although always am an and any are around as at be because become been
    before between but by can could did do does don't even every for from get gets getting give gives go goes
    going good got had has have how i if in into is isn't it its just keep kept like make makes many me model
    more most much my no not now of off on one only or other our out over really same see seem seems should so
    some somehow start starts still such than that the their them then there these they thing this those though
    time to too train training trained up use used using very was we were what when where which while who why
    will with without work works would you your""".split()
)
_SAME = {
    word: row.split()[0]
    for row in (
        "metric accuracy acc score auc f1 recall precision bleu iou dice map",
        "validation val valid eval evaluation evaluate dev",
        "jump fluctuate noisy vary erratic wobble bounce swing",
        "stuck constant flat unchanged frozen stagnate stagnant",
        "diverge explode blow unstable spike oscillate",
        "nan nans inf infinite infinity overflow",
        "plateau stall level saturate converge underfit",
        "resume restart continue reload restore",
        "load loaded loading",
        "run runs execution rerun",
        "rate lr schedule scheduler warmup decay",
        "memory oom ram",
        "leak leakage contamination",
        "gpu device cuda",
        "reproduce reproducible reproducibility replicate deterministic nondeterministic seed",
        "different differ differs difference",
        "test holdout production unseen",
        "overfit over-fit over-fits overfits overfitting over-fitting",
        "better suspicious perfect higher",
        "worse bad badly lower low poor poorly drop regress",
        "slow slower slowly late",
        "rise increase grow climb",
        "fall decrease down improve learn",
        "prediction predict output inference",
    )
    for word in row.split()
}
_NOT = frozenset(
    "not never no cannot can't doesn't don't won't isn't stop stops stopped without nothing barely hardly".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "e")


def find(text: str) -> list[Symptom]:
    """The symptoms that somebody may mean, best first.

    Args:
        text: free words, or the name of a symptom.

    Returns:
        At most three, none if the words say nothing about any.
    """
    if text in SYMPTOMS:
        return [SYMPTOMS[text]]
    known = {symptom.name: _weights(symptom) for symptom in _TABLE}
    spread: dict[str, int] = {}
    for weights in known.values():
        for word in weights:
            spread[word] = spread.get(word, 0) + 1
    queried = _nearest(_tokens(text), spread)
    scores = {
        name: sum(weights[word] / spread[word] ** 0.5 for word in queried if word in weights)
        for name, weights in known.items()
    }
    best = max(scores.values())
    if best < 0.5:
        return []
    ranked = sorted(scores, key=lambda name: -scores[name])
    return [SYMPTOMS[name] for name in ranked[:3] if scores[name] >= 0.6 * best]


def _weights(symptom: Symptom) -> dict[str, float]:
    """How much each word says for a symptom: those of its title most, those of its sentence least."""
    weights: dict[str, float] = {}
    for text, weight in ((symptom.seen, 0.5), (symptom.words, 1.0), (symptom.title, 1.5), (symptom.name, 1.5)):
        for word in _tokens(text):
            weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def _tokens(text: str) -> list[str]:
    """The words that say something, without endings; `does not fall` is `stuck`."""
    words = "".join(c if c.isalnum() or c == "'" else " " for c in text.lower().replace("_", " ")).split()
    found: list[str] = []
    negated = 0
    for word, following in pairwise([*words, ""]):
        stem = _stem(word)
        if word in _NOT:
            negated = 3
            if word == "nothing" and found and found[-1] == "fall":
                found[-1] = "stuck"
        elif word == "same" and _stem(following) in ("prediction", "valu", "clas"):
            found.append("collaps")
        elif negated and stem in ("fall", "mov", "chang", "train", "happen"):
            found.append("stuck")
            negated = 0
        elif word not in _IDLE and len(word) > 1:
            found.append(stem)
        negated -= bool(negated)
    return list(dict.fromkeys(found))


def _stem(word: str) -> str:
    word = word.replace("isation", "ization").replace("is'", "iz'")
    if word in _SAME:
        return _SAME[word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            return next((_SAME[full] for full in (stem, stem + "e", word[: -len(ending)] + "y") if full in _SAME), stem)
    return word


def _nearest(words: Iterable[str], known: dict[str, int]) -> list[str]:
    """The words, each that is unknown as the known one that it was probably meant to be."""
    from difflib import get_close_matches

    found = []
    for word in words:
        found += [word] if word in known else get_close_matches(word, sorted(known), n=1, cutoff=0.78)
    return found
