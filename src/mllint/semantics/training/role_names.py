"""The table of names: which words suggest which role, and which names are conventional for it.

This is data. To teach mllint a name, add a word here and an example to `tests/semantics/roles.md`. What a name is about
(best, stopping, a split) is in `syntax/topic_names.py`; other modules know names of functions and methods of libraries,
and words for parts of the data where they stand for one of these two.

* `conventional`: whole names, as the documentation of PyTorch, scikit-learn, Keras and the libraries around them uses
  them for exactly this role. Compared without regard to case and underscores.
* `heads`: words that name the role as the head of the identifier, which in English is the last word: `my_optimizer` is
  an optimizer, `optimizer_config` is not. Qualifiers may follow (`optimizer_G`, `loader_train`); see `QUALIFIERS`.
  A head of several words is written with underscores.
* `anywhere`: words that suggest the role wherever they stand: `rows_of_test_set`.

`word` entries are compared as whole words, never as parts of words.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from mllint.semantics.syntax.words import phrase

__all__ = [
    "AVERAGED", "CLEARING", "DATA_WORDS", "DROPS_BY_DESIGN", "FILES", "FILLERS", "GROWING", "KEEPING", "LAYERS",
    "LOOKING", "NAMES", "QUALIFIERS", "RANDOM_ON_PURPOSE", "RESETTING", "ROWS", "SAYS_GIVEN", "SAYS_PREDICTION",
    "SAYS_TRUTH", "STEPPING", "STORED_AS", "UNITS", "UPDATING", "VERBS", "Activity", "Role", "RoleNames",
]  # fmt: skip

QUALIFIERS = frozenset(
    "a b c d e f g h i j k l m n o p q r s t u v w x y z "
    "train training val valid validation test eval dev new old best last final main "
    "generator discriminator gen disc actor critic encoder decoder teacher student".split()
)
"""Words that may follow the head of a name without changing its role: `optimizer_G`, `loader_train`, `model_best`."""
FILLERS = frozenset("run do on my get compute calc calculate make".split())
"""Words that a function's name may begin with before it says what the function does: `run_validation`."""
RANDOM_ON_PURPOSE = frozenset(
    "mcdropout mcdrop mc monte bayes bayesian uncertainty uncertain stochastic updatebn bnupdate recalibrate "
    "recalibration calibrate".split()
)
"""Words of functions and classes in which dropout is wanted, or batch statistics are collected, outside of training."""
DROPS_BY_DESIGN = frozenset("prenet discriminator critic".split())
"""Networks whose dropout is wanted whenever they run, or that have no inference."""
UPDATING = frozenset(
    "step train training update updates updating optimize optimise optimizer fit learn backward run call apply "
    "iteration callback callbacks hook hooks before after prepare manual trigger notify emit".split()
)
"""Words that suggest, wherever they stand in the name of something unknown, that it updates weights: `run_batch`."""
LOOKING = frozenset(
    "log logs logger logging print info debug warning add write writer scalar append extend setdefault update set "
    "postfix description track tracker metric metrics accuracy acc score eval item float detach".split()
)
"""Words that suggest, wherever they stand in the name of something unknown, that it only looks at what it is given."""
STEPPING = frozenset(
    "env envs environment sim simulator gym world profiler prof timer bar progress sampler loader datamodule meter "
    "stopper monitor schedule schedules scheduler schedulers sched".split()
)
"""Words for things that have a `step()` and are no optimizers, wherever they stand: `scheduler_epoch_level`."""
KEEPING = frozenset("checkpoint checkpoints checkpointer ckpt save saver load loader restore resume".split())
"""Words that suggest, wherever they stand in the name of something unknown, that it stores or restores what it gets."""
RESETTING = frozenset("reset initialize reinitialize deepcopy reload loadstatedict initweights".split())
"""Words, or whole names, of what gives a model other weights."""
GROWING = frozenset("prune pruning unstructured expand grow freeze unfreeze thaw".split())
"""Words of what changes which parameters are trained; so does `add_` with one of `LAYERS`."""
LAYERS = frozenset("layer module task class head param block neuron".split())
CLEARING = (frozenset("zero clear reset".split()), frozenset("grad grads gradient gradients".split()))
"""One word of each suggests that something unknown clears gradients: `accumulator.zero_gradients()`."""
SAYS_PREDICTION = frozenset(
    "pred preds predict predicts predicted prediction predictions pr hat score scores prob probs proba logit "
    "logits".split()
)
"""Words that say, in one of two names that differ in nothing else, that it is the prediction: `y_pred`, `label_hat`."""
SAYS_TRUTH = frozenset("true trues truth truths ground actual actuals known gt gts target targets".split())
"""Words that say so of the truth: `y_true`, `cell_known`."""
SAYS_GIVEN = frozenset("input inputs output outputs".split())
"""Words for what a loss takes besides the target, in the documentation of PyTorch: `start_input`, `start_target`."""
STORED_AS = ("np", "numpy", "tensor", "cpu", "arr", "array")
"""Words at the end of a name that say how something is stored, and not what it is: `y_test_np`."""
AVERAGED = ("mean", "avg", "average")
"""Words that say that several predictions were averaged, which is still a prediction: `mean_preds`."""
DATA_WORDS = frozenset(("", *"set data dataset loader dataloader dl ds df x y".split()))
"""What is left of a name that says nothing but which part of the data it is."""


class Role(Enum):
    """What an object is in a training program."""

    __hash__ = object.__hash__  # that of `Enum` is computed in Python, and members are what they are by identity

    MODEL = "model"
    OPTIMIZER = "optimizer"
    SCHEDULE = "schedule"
    LOADER = "loader"
    DATASET = "dataset"
    SAMPLER = "sampler"
    CRITERION = "criterion"
    SCALER = "scaler"
    METRIC = "metric"
    CHECKPOINT = "checkpoint"
    PREDICTION = "prediction"
    TARGET = "target"
    ANNOTATION = "annotation"
    INPUT = "input"
    BATCH = "batch"
    LOSS = "loss"
    TRAINING_ROWS = "training rows"
    VALIDATION_ROWS = "validation rows"
    TEST_ROWS = "test rows"
    HELD_OUT_ROWS = "held-out rows"
    EPOCHS = "epochs"
    BATCHES = "batches"
    STEPS = "steps"
    BATCH_SIZE = "batch size"
    ACCUMULATION = "micro-batches"
    AVERAGED_MODEL = "averaged model"
    RESUMED_FILE = "the checkpoint to resume from"
    MODE = "mode"
    SPLIT = "split"
    COLUMNS = "columns"
    PICTURE = "picture"


class Activity(Enum):
    """What a function does in a training program."""

    TRAINS = "trains"
    MEASURES = "measures"


class RoleNames(NamedTuple):
    """The names of one role; see the module's essay."""

    conventional: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    anywhere: frozenset[str] = frozenset()


def _names(conventional: str = "", heads: str = "", anywhere: str = "") -> RoleNames:
    conventional_names = frozenset(phrase(name) for name in conventional.split())
    return RoleNames(
        conventional_names,
        frozenset(phrase(name) for name in heads.split()) | conventional_names,
        frozenset(phrase(name) for name in anywhere.split()),
    )


def _compounds(stems: str) -> str:
    """Parts of the data with what they are usually written together with: `testset`, `xtest`, `valloader`."""
    ends = ("", "set", "data", "dataset", "loader", "dl", "ds", "gen", "x", "y", "s")
    return " ".join(head + stem + end for stem in stems.split() for head in ("", "x", "y", "d") for end in ends)


NAMES: dict[Role, RoleNames] = {
    # `model` and `net` as in the tutorials of PyTorch; the heads are kinds of networks, and what agents are made of
    Role.MODEL: _names(
        conventional="model net",
        heads="network module classifier regressor backbone encoder decoder generator discriminator actor critic "
        "policy agent teacher student transformer unet resnet mlp cnn rnn lstm gru gan vae autoencoder estimator "
        "learner trunk predictor qnet qnetwork featurizer",
    ),
    # as in the documentation of `torch.optim`; `solver` is Caffe's word, which trainers still use
    Role.OPTIMIZER: _names(
        conventional="optimizer optim opt", heads="optimiser optims optimizers opts solver trainer_optimizer"
    ),
    # as in `torch.optim.lr_scheduler`; warm-up and annealing are what a schedule does
    Role.SCHEDULE: _names(
        conventional="scheduler lr_scheduler", heads="schedule sched lr_sched lr_schedule schedulers warmup annealing"
    ),
    # `dl` is fastai's word; iterators of batches have the role of a loader
    Role.LOADER: _names(
        conventional="loader dataloader data_loader train_loader val_loader valid_loader test_loader train_dataloader "
        "val_dataloader test_dataloader trainloader testloader valloader train_dl valid_dl val_dl test_dl",
        heads="loader loaders dataloader dataloaders dl dls batches iterator batch_iterator data_iter train_iter "
        "test_iter val_iter iter",
    ),
    # as in torchvision and scikit-learn; `df` and `frame` are tables of rows
    Role.DATASET: _names(
        conventional="dataset train_dataset val_dataset test_dataset trainset testset valset train_set val_set "
        "test_set train_data test_data val_data",
        heads="dataset datasets data ds set subset corpus df frame rows samples",
    ),
    # as in `torch.utils.data`
    Role.SAMPLER: _names(conventional="sampler train_sampler", heads="sampler samplers"),
    # as in the examples of PyTorch; `crit` and `objective` are guesses
    Role.CRITERION: _names(
        conventional="criterion loss_fn loss_func",
        heads="criteria crit loss_function loss_fct objective criterions lossfn loss_module",
    ),
    # that of gradients; a scaler of scikit-learn is told apart by what builds it, not by its name
    Role.SCALER: _names(conventional="scaler grad_scaler", heads="scaler loss_scaler amp_scaler"),
    # what is compared with a best so far; the heads are metrics of libraries by their names
    Role.METRIC: _names(
        conventional="accuracy acc val_loss val_acc test_acc f1_score",
        heads="metric metrics accuracy acc auc score scores map miou iou precision recall mae rmse mse perplexity ppl "
        "error bleu rouge",
    ),
    # no rule asks for it: conventional names, which stay where a test gives everything else names without a meaning
    Role.CHECKPOINT: _names(
        conventional="checkpoint state_dict ckpt", heads="checkpoints state states weights snapshot best_state"
    ),
    # no rule asks for it, as for a checkpoint; what a loss is given is compared by `SAYS_PREDICTION`
    Role.PREDICTION: _names(
        conventional="y_pred preds predictions logits outputs",
        heads="pred prediction output out probs prob logit scores yhat y_hat hypothesis guess",
    ),
    # as in scikit-learn, PyTorch and torchvision
    Role.TARGET: _names(
        conventional="y_true target targets labels label y_train y_test y_val",
        heads="truth gt ground_truth annotations gold y yb ys mask masks boxes",
        anywhere="gt truth target targets label labels",
    ),
    # what a detector is trained with; it is given to the model itself
    Role.ANNOTATION: _names(
        conventional="targets annotations gt_boxes",
        anywhere="target targets label labels truth gt boxes annotation annotations annots",
    ),
    # no rule asks for it, as for a checkpoint
    Role.INPUT: _names(
        conventional="x X inputs images input_ids features",
        heads="input image img imgs xb xs data feature",
    ),
    # one batch of a loader
    Role.BATCH: _names(conventional="batch minibatch", heads="batch minibatch mini_batch"),
    # a number that is differentiated; `elbo` and `nll` are losses by their names
    Role.LOSS: _names(
        conventional="loss", heads="losses nll elbo training_step total_loss objective penalty energy", anywhere="loss"
    ),
    # as in scikit-learn and the tutorials of PyTorch; the compounds are one word in many programs: `trainloader`
    Role.TRAINING_ROWS: _names(
        conventional="X_train y_train train_loader train_dataloader trainloader train_dataset train_data train_set "
        "trainset train_dl train_ds train_df train_idx train_index x_train train_data_loader training_data",
        anywhere=_compounds("tr trn train training"),
    ),
    # the same; `dev` is the word of shared tasks in language processing
    Role.VALIDATION_ROWS: _names(
        conventional="X_val y_val X_valid y_valid val_loader valid_loader val_dataloader valloader val_dataset "
        "val_data val_set valset val_dl valid_dl val_ds validation_data val_df valid_df val_idx val_index "
        "valid_data valid_set valid_dataset valid_dataloader val_data_loader valid_data_loader validation_loader "
        "validation_dataset validation_set eval_dataset eval_dataloader eval_loader dev_dataset dev_dataloader "
        "dev_loader",
        anywhere=_compounds("va val valid vali validation dev eval"),
    ),
    # the same
    Role.TEST_ROWS: _names(
        conventional="X_test y_test test_loader test_dataloader testloader test_dataset test_data test_set testset "
        "test_dl test_ds test_df test_idx test_index test_data_loader",
        anywhere=_compounds("te test tst testing"),
    ),
    # validation or test rows, and it is not said which
    Role.HELD_OUT_ROWS: _names(anywhere=_compounds("heldout holdout") + " held_out hold_out"),
    # a number or an index of epochs
    Role.EPOCHS: _names(
        conventional="epoch epochs num_epochs n_epochs max_epochs", heads="epoch epochs", anywhere="epoch epochs"
    ),
    # the same for batches
    Role.BATCHES: _names(
        conventional="batch_idx num_batches", heads="batch_idx batch_i batch_index batches nb_batches"
    ),
    # the same for optimizer steps, or what a loop calls so
    Role.STEPS: _names(
        conventional="global_step max_steps num_steps total_steps",
        heads="step steps iter iters iteration iterations it updates num_updates",
    ),
    # no rule asks for it, as for a checkpoint
    Role.BATCH_SIZE: _names(
        conventional="batch_size", heads="bs bsz bptt chunk chunk_size seq_len minibatch_size batch", anywhere="batch"
    ),
    # how many batches make one step; as in transformers, accelerate and timm
    Role.ACCUMULATION: _names(
        conventional="accumulation_steps gradient_accumulation_steps accum_steps accum_iter",
        heads="iter_size",
        anywhere="accum accumulation accumulate micro microbatch microbatches",
    ),
    # as in the ImageNet example of PyTorch and in transformers
    Role.RESUMED_FILE: _names(conventional="resume resume_from resume_path resume_from_checkpoint"),
    # a model that follows another one, in self-supervised and reinforcement learning: it takes no gradients
    Role.AVERAGED_MODEL: _names(
        conventional="ema ema_model target_net target_network",
        heads="shadow averaged momentum_encoder target_model target_q target_critic target_actor target_policy "
        "target_encoder momentum_model momentum_net averaged_model averaged_net shadow_model shadow_net ema_net "
        "target_q_net target_q_network net_target model_target q_target critic_target actor_target policy_target "
        "encoder_target network_target",
    ),
    # no rule asks for it, as for a checkpoint
    Role.MODE: _names(
        conventional="training is_training",
        anywhere="training switch deterministic determinism infer inference eval evaluating",
    ),
    # which part of the data an argument or a function is about
    Role.SPLIT: _names(conventional="split", anywhere="split splits splitting"),
    # points to draw, and numbers of classes
    Role.PICTURE: _names(anywhere="tsne umap mds le label"),
    # names of columns, of which a table is indexed
    Role.COLUMNS: _names(conventional="columns cols", anywhere="col cols column columns feat feats feature features"),
}

UNITS: dict[Role, frozenset[str]] = {
    Role.EPOCHS: frozenset("epoch epochs".split()),
    Role.STEPS: frozenset("step steps iter iters iteration iterations it updates".split()),
    Role.BATCHES: frozenset("batch batches minibatch minibatches".split()),
}
"""The words that say what a number counts, wherever they stand: `max_epochs`, `n_iter`."""

VERBS: dict[Activity, tuple[frozenset[str], frozenset[str]]] = {
    Activity.TRAINS: (
        frozenset("train fit".split()),
        frozenset("training learn finetune pretrain".split()),
    ),
    Activity.MEASURES: (
        frozenset("evaluate eval evaluation validate validation test predict score estimateloss".split()),
        frozenset(
            "valid val testing infer inference measure benchmark profile accuracy acc forecast "
            "classify decisionfunction".split()
        ),
    ),
}
"""Words that a function's name begins with (`train_one_epoch`, `evaluate_model`): the conventional ones, then those
that merely suggest it. Two words are written as one."""


FILES: dict[Role, frozenset[str]] = {
    Role.TRAINING_ROWS: frozenset(("train", "training")),
    Role.VALIDATION_ROWS: frozenset(("val", "valid", "validation", "dev")),
    Role.TEST_ROWS: frozenset(("test",)),
}
"""The conventional names of files and folders, without their extension: `train.csv`, `data/test/`."""


_STEMS = {
    Role.TRAINING_ROWS: "tr trn train training",
    Role.VALIDATION_ROWS: "va val valid vali validation dev eval",
    Role.TEST_ROWS: "te test tst testing",
    Role.HELD_OUT_ROWS: "heldout holdout",
}
ROWS: dict[Role, dict[str, str]] = {
    role: {word: word.replace(stem, "", 1) for stem in stems.split() for word in _compounds(stem).split()}
    for role, stems in _STEMS.items()
}
"""The words for each part of the data, and what is left of each without the part: `loader` of `trainloader`."""
