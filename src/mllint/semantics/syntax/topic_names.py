"""The table of topics: which words of a name speak of what, where the question is not what an object is.

This is data, sorted by question. To teach mllint a word, add it here. What an object *is* stands in
`training.role_names`; no other module holds words of identifiers.

    why        what the topic is asked for: a name may excuse, or say where to look; it never accuses by itself
    anywhere   words that speak of the topic wherever they stand in a name
    first      words that do so as the first one: `evaluate_model`
    last       words that do so as the last one: `image_paths`
    whole      whole names, written together

A word is compared as a whole. `load*` stands for the words that begin with it (`loads`, `loader`), `*loader` for those
that end with it (`dataloader`): forms and compounds of one word, of which English has more than a table should hold.
Two words that stand together count as one as well (`log_prob` as `logprob`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import NamedTuple

__all__ = ["CALLED_AS_LOSS", "TOPICS", "Entries", "Topic", "Words"]

_LOADING = "load* *load *loader *loaders *loading iter* *iter *iterator dl *dl"
_MAKING = (
    "load* *load *loader *loaders *loading dataset* *dataset *datasets subset* *subset ds *ds dl *dl data "
    "*data set *set"
)
CALLED_AS_LOSS = ("criterion", "loss_fn", "loss_func", "crit", "loss_function", "loss")
"""What a loss of the user's own is usually bound to: the calls of these names may be calls of it, the first three also
where its instances are bound to other names."""


class Topic(Enum):
    """What a name may speak of."""

    __hash__ = object.__hash__  # that of `Enum` is computed in Python, and members are what they are by identity

    # Parts of the data: which rows are meant
    PARTS = auto()
    TRAINING_PATH = auto()
    TEST_FILE = auto()
    VALIDATION = auto()
    APART = auto()
    WHOLE = auto()
    SMALL = auto()
    PRESENT = auto()
    UNPAIRED = auto()
    UNLABELLED = auto()
    GROUPS = auto()

    # Data: rows, and what is built of them
    DATA = auto()
    FOLDERS = auto()
    COUNTING = auto()
    MADE_UP = auto()
    LOADERS = auto()
    LOADING = auto()
    MAKING_DATA = auto()
    HOLDING_ROWS = auto()
    ITERATED = auto()
    READING_OPTIONS = auto()
    TRAINING_FLAG = auto()
    READING_ROWS = auto()
    ROWS_BY_NAME = auto()
    COLLATING = auto()
    CHOOSING = auto()
    SUBSETS = auto()
    INDICES = auto()
    SAMPLES = auto()
    FETCHING = auto()
    FILES = auto()
    PUBLISHED = auto()
    WEIGHTS_FILE = auto()
    STATE_DICTS = auto()

    # Transforms and augmentation
    TRANSFORMS = auto()
    AUGMENTATION = auto()
    AUGMENTING = auto()
    FITTING = auto()
    RANDOMNESS = auto()
    MIXING = auto()
    DISTURBANCE = auto()
    TEST_TIME_AUGMENTATION = auto()

    # Loops and progress
    EPOCHS = auto()
    BATCHES = auto()
    SIZES = auto()
    PROGRESS = auto()

    # Models and what computes
    MODELS = auto()
    NORMALIZATION = auto()
    DROPOUT = auto()
    SCALERS = auto()
    DIFFERENTIATING = auto()
    ACTIVATION = auto()
    OPTIMIZERS = auto()
    SCHEDULES = auto()
    RATES = auto()
    BUILDING = auto()
    CRITERIA = auto()
    CHECKPOINTING = auto()
    STATE = auto()
    SHARING = auto()
    TEMPLATES = auto()
    DECAYING = auto()
    PLATEAU = auto()
    ENVIRONMENT = auto()

    # Tensors, losses, scores, labels
    TENSORS = auto()
    CALCULATED = auto()
    NUMBERS = auto()
    RESHAPED = auto()
    INPUTS = auto()
    ANSWERS = auto()
    LOSSES = auto()
    SCORE = auto()
    SCORES = auto()
    HIGHER_IS_BETTER = auto()
    WITH_FIRST_TOKEN = auto()
    WITHOUT_FIRST_TOKEN = auto()
    WITH_PADDING = auto()
    END_OF_TEXT = auto()
    REPLIES = auto()
    HEADS = auto()
    LAYERS = auto()
    LOWER_IS_BETTER = auto()
    CHOSEN = auto()
    REJECTED = auto()
    GUESSES = auto()
    TRUTH = auto()
    TRUE_LABELS = auto()
    TRUTH_ALONE = auto()
    TRUTH_OF_A_LOSS = auto()
    DIMENSIONS = auto()
    LABELS = auto()
    LABEL_TABLE = auto()
    TEXT = auto()
    TEXT_NUMBERS = auto()
    ENCODING = auto()
    ROLLOUT = auto()

    # What a function does
    ABOUT_TRAINING = auto()
    MEASURING = auto()
    RUNNING = auto()
    SHOWING = auto()
    WRITING = auto()
    KEEPING = auto()
    BEST = auto()
    STOPPING = auto()
    FAILURE = auto()
    DIFFERENCES = auto()
    OTHER_CONTEXTS = auto()

    # Seeds and processes
    SEEDING = auto()
    FORKING = auto()
    SEEDS = auto()
    GENERATOR_STATE = auto()
    RANK = auto()
    RANKS = auto()
    MAIN_PROCESS = auto()
    PARTS_OF_A_MODEL = auto()


class Entries:
    """Words, and how words begin (`load*`) or end (`*loader`).

    Args:
        written: the entries, with spaces between.
    """

    __slots__ = ("begins", "ends", "whole")

    def __init__(self, written: str) -> None:
        entries = written.split()
        self.begins = tuple(entry[:-1] for entry in entries if entry.endswith("*"))
        self.ends = tuple(entry[1:] for entry in entries if entry.startswith("*"))
        self.whole = frozenset(entry for entry in entries if "*" not in entry)

    def fit(self, words: Iterable[str]) -> bool:
        """Whether one of some words is one of these, or begins or ends as one of them says."""
        whole, begins, ends = self.whole, self.begins, self.ends
        for word in words:  # noqa: SIM110  (asked ten thousand times; a generator costs as much as the answer)
            if word in whole or word.startswith(begins) or word.endswith(ends):
                return True
        return False


class Words(NamedTuple):
    """The words of one topic, and what they are asked for; see the module's essay."""

    why: str
    anywhere: Entries
    first: Entries
    last: Entries
    whole: frozenset[str]
    by_position: bool
    """Does it matter for some of them where in a name they stand?"""


def _words(why: str, anywhere: str = "", *, first: str = "", last: str = "", whole: str = "") -> Words:
    names = frozenset(whole.split())
    return Words(why, Entries(anywhere), Entries(first), Entries(last), names, bool(first or last))


TOPICS: dict[Topic, Words] = {
    # Parts of the data: which rows are meant
    Topic.PARTS: _words(
        "a branch or a class that names a part may treat its rows in another way, which excuses",
        "train* *train test* *test val* *val phase* split* *split part* mode* infer* eval* *eval",
    ),
    Topic.TRAINING_PATH: _words("a path or a word that chooses the training rows", "train training trn"),
    Topic.TEST_FILE: _words('a file or an argument that says "test" may be a test set of its own', "test*"),
    Topic.VALIDATION: _words(
        "a name that says validation contradicts that it is the test set", "val vali valid validation dev"
    ),
    Topic.APART: _words(
        "rows that are kept for the end, beside those that a split calls test",
        "holdout* hold unseen blind* external finaltest",
    ),
    Topic.WHOLE: _words("all rows, which may be trained on after the evaluation", "full all whole both total"),
    Topic.SMALL: _words(
        "debugging, where one dataset for both parts is wanted", "debug* overfit* sanity tiny toy* dry smoke*"
    ),
    Topic.PRESENT: _words(
        "`valid_mask` may mean the rows that are there, and not those for validation", anywhere="valid"
    ),
    Topic.UNPAIRED: _words(
        "two collections that belong together in any way, such as two styles", "unpair* unalign* cycle* style* domain*"
    ),
    Topic.UNLABELLED: _words("rows that are trained on without their answers, beside those that have them", "unlabel*"),
    Topic.GROUPS: _words(
        "numbers that only say which rows belong together", "group* *group *groups subject* patient* fold* session*"
    ),
    # Data: rows, and what is built of them
    Topic.DATA: _words(
        "may it be rows at all? Looked at first, and told apart from numbers, transforms and folders",
        _LOADING + " data* *data set sets *set *sets ds *ds file* *file *files frame* *frame df *df path* *path *paths "
        "image* ids *ids split* *split corpus* *corpus sampl* *samples rows *rows token* *tokens utter*",
    ),
    Topic.FOLDERS: _words(
        "a place that holds a path is no data", "dir *dir dirs root *root folder* *folder", last="path"
    ),
    Topic.COUNTING: _words(
        "a number of rows, workers or steps is no data",
        last="step steps *steps size *size count *count number len length worker workers *workers seed *seed",
    ),
    Topic.MADE_UP: _words(
        "rows that are drawn at random: two of them are never the same", "synthetic* dummy* fake* mock* random*"
    ),
    Topic.LOADERS: _words(
        "a loop over one loader in which another one is walked through", last="loader *loader dl *dl"
    ),
    Topic.LOADING: _words("an argument or a place that may hold a loader", _LOADING + " batch* *batch *batches"),
    Topic.MAKING_DATA: _words("a function that returns rows of the part that it is named for", _MAKING),
    Topic.HOLDING_ROWS: _words(
        "a place that holds rows, and not a number of them or a score",
        _LOADING,
        first="x y",
        last="it data *data ds *ds set *set batches loaders iterators",
    ),
    Topic.ITERATED: _words(
        "what a loop over batches draws from, where nothing else says so",
        "load* *load *loader *loaders batch* *batch *batches iter* *iter data* *data *dataset dl *dl train* "
        "*train valid* test* *test",
    ),
    Topic.READING_OPTIONS: _words(
        "an argument that says how rows are read, and not which ones",
        "batch* shuf* worker* *workers aug* *aug transform* *transform *transforms trfm* tfm* droplast pin "
        "persist* collate* prefetch* samplerseed timeout device* bs *bs",
    ),
    Topic.TRAINING_FLAG: _words(
        "an argument that says which rows are read", "train* split* mode* phase* part* flag* fold* subset* seed*"
    ),
    Topic.READING_ROWS: _words(
        "a call that reads a file of rows", "*dataset", first="read* load*", whole="imagefolder open"
    ),
    Topic.ROWS_BY_NAME: _words(
        "a name that is a loader or a dataset where its value is not known",
        "loader* *loader *loaders",
        last="dl iter dataset *dataset batches *batches",
        whole="iterator",
    ),
    Topic.COLLATING: _words("a function that makes a batch of samples", "collate* *collate"),
    Topic.CHOOSING: _words(
        "a call that takes some of the rows it is given",
        "subset* *subset split* *split sampler* *sampler sample* *sample indices index idx select* filter* "
        "fold* take* chunk* partition* concat* cat",
    ),
    Topic.SUBSETS: _words(
        "a function that divides the rows which it builds alike",
        "subset* *subset split* *split sampler* *sampler indices index idx select* filter*",
    ),
    Topic.INDICES: _words("a name that holds positions of rows", "idx *idx ind inds index indices order* perm* x y"),
    Topic.SAMPLES: _words(
        "a parameter that holds several samples, of which a model gets one",
        "batch* *batch *batches data* *data sample* *sample *samples",
    ),
    Topic.FETCHING: _words(
        "something is read in a `try`, so that its errors have several causes",
        "open* *open load* *load *loader read* *read *reader get* fetch* decode* parse* sample* *sample item* "
        "*item *items next*",
    ),
    Topic.FILES: _words(
        "names of files, which are texts", last="file files path paths name names url urls *path *paths *name *names"
    ),
    Topic.PUBLISHED: _words("a file that others published, whose contents are known", anywhere="url urls"),
    Topic.WEIGHTS_FILE: _words(
        "a file of weights, whose keys nobody has seen",
        "download*",
        whole="fromfile load loadcheckpoint loadfile loads loadstatedictfromurl loadurl torchload",
    ),
    Topic.STATE_DICTS: _words(
        "a function that loads a state for its caller, who may look at what was missing", "statedict"
    ),
    # Transforms and augmentation
    Topic.TRANSFORMS: _words(
        "an argument that transforms samples says nothing about which samples they are",
        "tf *tf *tfs tfm* *tfm *tfms transform* *transform *transforms trans aug* *aug preproc* pipeline* *pipeline",
    ),
    Topic.AUGMENTATION: _words("an option that speaks of augmentation", "aug* *aug"),
    Topic.AUGMENTING: _words(
        "a flag that switches augmentation on", whole="aug augment augmentation istrain istraining training"
    ),
    Topic.FITTING: _words("a test that asks whether samples are trained on", whole="istrain istraining train training"),
    Topic.RANDOMNESS: _words(
        "a function that may draw at random",
        "aug* rand* *rand flip* *flip jitter* *jitter nois* *noise mixup cutout crop* *crop shuffle* hash* "
        "projectionpursuit",
    ),
    Topic.MIXING: _words(
        "a class that shuffles what it reads", "shuffle* choice* choices permutation randperm", first="sample*"
    ),
    Topic.DISTURBANCE: _words(
        "held-out rows that are disturbed on purpose",
        "perturb* corrupt* nois* robust* rotat* shifted affine* attack* distort* *corrupted *rotated",
    ),
    Topic.TEST_TIME_AUGMENTATION: _words("held-out rows that are augmented on purpose", "tta *tta"),
    # Loops and progress
    Topic.EPOCHS: _words("the variable of a loop that counts epochs", "epoch* *epoch *epochs"),
    Topic.BATCHES: _words("the variable of a loop that holds a batch", last="batch minibatch *batch"),
    Topic.SIZES: _words("the stride of a loop over slices", "batch* *batch bs *bs bsz bptt chunk* seqlen"),
    Topic.PROGRESS: _words(
        "how far a run had come when its checkpoint was written",
        "epoch* *epoch *epochs step* *step *steps iter* *iter start* best* *best",
    ),
    # Models and what computes
    Topic.MODELS: _words(
        "a parameter that is called and trained, where nothing builds it",
        last="model net network *network",
        whole="backbone classifier encoder netd netg student teacher",
    ),
    Topic.NORMALIZATION: _words(
        "the class of a layer that normalizes: freezing these alone freezes no model", "norm* *norm"
    ),
    Topic.DROPOUT: _words("the class of a layer that drops, whose chance an argument sets", "dropout* *dropout"),
    Topic.SCALERS: _words("something that is updated and steps an optimizer", "scaler* *scaler"),
    Topic.DIFFERENTIATING: _words("a method that fills or writes gradients", "backward* *backward closure* *closure"),
    Topic.ACTIVATION: _words("a function that is no layer", "activation* act nonlinear*"),
    Topic.OPTIMIZERS: _words("something unknown that is stepped", "optim* *optim *optimizer opt"),
    Topic.SCHEDULES: _words("something unknown that is stepped, and is no optimizer", "sched* *sched *scheduler"),
    Topic.RATES: _words("the same: a schedule by what it changes", "lr* warmup* anneal*"),
    Topic.BUILDING: _words(
        "a function that builds something is no optimizer",
        first="get build make create init set setup prepare configure load",
    ),
    Topic.CRITERIA: _words("a function that computes a loss", "loss* *loss criteri* entropy *entropy dice focal*"),
    Topic.CHECKPOINTING: _words("a callback that keeps the best model", whole="modelcheckpoint"),
    Topic.STATE: _words(
        "a recurrent state that goes from one batch to the next", "hid* state* *state *states mem* cell* h hx hc"
    ),
    Topic.SHARING: _words("layers that are shared on purpose", "share* sharing tie tied tying recurren* siamese*"),
    Topic.TEMPLATES: _words("files that other files are generated from", first="modular"),
    Topic.DECAYING: _words("a list of the parameters that decay", anywhere="decay"),
    Topic.PLATEAU: _words("a word that chooses a scheduler which is given a metric", "plateau*"),
    Topic.ENVIRONMENT: _words(
        "something whose seed is no random stream of ours",
        last="env envs *env *envs space buffer dataset loader sampler",
    ),
    # Tensors, losses, scores, labels
    Topic.TENSORS: _words(
        "a receiver that is a tensor in `forward`",
        "image* *image *images img* *img *imgs label* target* mask* feat* hidden* quer* key keys value values "
        "emb* *emb",
        first="x y",
        whole="h out output",
    ),
    Topic.CALCULATED: _words(
        "a receiver that is a tensor by its name and by a method that others have as well",
        "hidden hiddens *loss logit* latent* feat* *feat *feats emb* *emb mask* *mask out output* pred*",
        first="h hx",
    ),
    Topic.NUMBERS: _words(
        "the same, by whole names",
        whole="label labels logit logits loss mask masks out output outputs pred prediction predictions preds score "
        "scores target targets",
    ),
    Topic.RESHAPED: _words(
        "a receiver of `view` and the like",
        "out output* input* inputs pred* *pred logit* score* *score prob* attn attention* weight* latent* code* *code",
    ),
    Topic.INPUTS: _words(
        "the first of a pair that a loop binds",
        whole="data features image images img imgs input inputids inputs x xb xs",
    ),
    Topic.ANSWERS: _words("the second of it", whole="label labels mask masks target targets y yb ys"),
    Topic.LOSSES: _words(
        "a number that is differentiated",
        "loss* *loss entropy *entropy nll* *nll kldiv* bce* *bce mse* *mse",
        last="score",
    ),
    Topic.SCORE: _words(
        "what a model returns, by whole names: a guess that needs a second fact",
        last="out logit logits score scores pred preds output outputs",
        whole="input inputs logit logits out output outputs pred predicted prediction predictions preds probs score "
        "scores yhat ypred",
    ),
    Topic.SCORES: _words(
        "numbers that say how good a model is, in a file that is saved",
        "loss* *loss *losses acc accs accuracy accuracies score* *score *scores metric* *metrics history "
        "result* f auc epsilon",
    ),
    Topic.WITH_FIRST_TOKEN: _words(
        "weights whose chat template begins with a token that the tokenizer adds as well",
        "llama* tinyllama codellama mistral* mixtral* gemma* zephyr* vicuna* deepseek*",
    ),
    Topic.WITHOUT_FIRST_TOKEN: _words(
        "weights whose tokenizer adds no first token", "qwen* chatml phi* smollm* olmo* granite* falcon* internlm*"
    ),
    Topic.END_OF_TEXT: _words(
        "the token that ends a text", "eos eot eod endoftext *endoftext imend eoseq", whole="endoftext"
    ),
    Topic.HEADS: _words(
        "a module that adapters are put into, which may belong to the head of a classifier",
        "classifier score *head heads fc dense out pooler linear",
    ),
    Topic.LAYERS: _words(
        "a part of a library's model that consists of layers, and is no tensor",
        last="bert roberta distilbert albert electra deberta *bert tower stem projector fc layer layers block blocks",
    ),
    Topic.CHOSEN: _words("an answer that is preferred to another one", "chosen preferred winner winning"),
    Topic.REJECTED: _words("an answer that another one is preferred to", "rejected dispreferred loser losing"),
    Topic.REPLIES: _words(
        "a field of a row that a language model is to write",
        last="answer answers response responses output outputs completion reply target summary assistant",
    ),
    Topic.WITH_PADDING: _words(
        "weights whose tokenizer has a token that pads, other than the one that ends a text",
        "qwen* gemma* t5 flan mt5 bert* roberta* distilbert deberta* electra* albert* bart* bloom* opt codegemma",
    ),
    Topic.HIGHER_IS_BETTER: _words(
        "a metric that grows as the model improves, by its usual name",
        "acc accuracy accuracies f fscore auc auroc auprc rocauc bleu sacrebleu rouge* meteor precision recall map "
        "mapk ap iou miou jaccard dice psnr ssim top kappa mcc ndcg mrr hits spearman* pearson* em",
        last="r",
    ),
    Topic.LOWER_IS_BETTER: _words(
        "a metric or a loss that falls as the model improves",
        "loss losses wer cer ter eer mae mse rmse mape smape rmsle nll perplexity ppl bpc fid lpips error err",
    ),
    Topic.GUESSES: _words("predictions, in a function that compares them with the truth", "pred* guess* hypothes*"),
    Topic.TRUTH: _words(
        "the truth, in that function", "true* truth* label* *label *labels target* *target gold* gt", first="y*"
    ),
    Topic.TRUE_LABELS: _words(
        "the truth, in an argument of a loss: a guess that needs a second fact",
        "true* *true label* *label *labels known",
        first="target* gt",
        whole="y yte ytest ytr ytrain yva yval yvalid yy",
    ),
    Topic.TRUTH_ALONE: _words(
        "the same, where one of two names is taken for the other",
        last="label labels labelid labelids labelsid labelsids",
        whole="groundtruth gt target targets trg y ytrue",
    ),
    Topic.TRUTH_OF_A_LOSS: _words(
        "a parameter that makes a function a loss", whole="groundtruth label labels target targets truth ytrue"
    ),
    Topic.DIMENSIONS: _words("an argument that says a dimension of a tensor", "dim* *dim *dims"),
    Topic.LABELS: _words(
        "a list that classes are added to",
        "label* *label *labels lbl* class* *class cls target* categ* truth tag* speaker* code* *code y",
        first="y*",
    ),
    Topic.LABEL_TABLE: _words(
        "a dictionary that numbers classes",
        "class* cls label* cat* id ids *id ix *ix idx *idx index* to map* *map *mapping code* vocab* num* "
        "enc* *enc dict* *dict lookup* target* stoi itos tag* word* d",
    ),
    Topic.TEXT: _words(
        "elements that are words, whose order in a set is no order",
        "word* *word *words token* *token *tokens vocab* sentence* text* char* *chars",
    ),
    Topic.TEXT_NUMBERS: _words(
        "words that were turned into numbers, whose order in a set is one",
        "id *id ids *ids ix *ix idx *idx ind* num* len* length* count* size* freq* to",
    ),
    Topic.ENCODING: _words("a call that does so", first="encode*", last="id ids idx"),
    Topic.ROLLOUT: _words(
        "the steps of an agent, whose order is meant",
        "advantage* logprob* rollout* experience* trajector* obs observation* reward rewards action actions",
    ),
    # What a function does
    Topic.ABOUT_TRAINING: _words("a function that trains is no measurement", "train* fit*"),
    Topic.MEASURING: _words(
        "a function that measures a model", first="eval* valid* test* infer* accuracy* score* measure* compute*"
    ),
    Topic.RUNNING: _words(
        "a whole run, which is not repeated after an error",
        first="eval* test* predict* infer* generate* validate* train",
        whole="fit runepoch",
    ),
    Topic.SHOWING: _words(
        "what it is given is only printed or drawn", "plot* *plot show* *show draw* visuali*", whole="print"
    ),
    Topic.WRITING: _words("what it is given is stored", "dump* *dump save* *save write* *write *writer"),
    Topic.KEEPING: _words(
        "what it is given may be kept as the best",
        "stop* *stop *stopping save* best* *best checkpoint* *checkpoint *checkpointing",
    ),
    Topic.BEST: _words("a best so far is remembered", "best bestacc bestloss bestscore bestmodel isbest"),
    Topic.STOPPING: _words("something may stop the training", "stop* *stop *stopper *stopping"),
    Topic.FAILURE: _words(
        "a message that says what failed",
        "fail* could unable cannot error* corrupt* match* mismatch* wrong broken invalid problem* warning* "
        "unexpected* incompatib*",
    ),
    Topic.DIFFERENCES: _words("the keys that a checkpoint lacks, or has besides", "missing* unexpected*"),
    Topic.OTHER_CONTEXTS: _words(
        "a context manager that is about neither the mode nor gradients",
        "autocast* amp cast* precision* tim* *timer clock* prof* *profiler record* trac* span* log* *logger "
        "tqdm progress* bar *bar alive* status spinner* live* open* file* *file path* *path dir* *dir temp* "
        "zip* *zip tar* h lock* *lock mutex* warn* suppress* nullcontext redirect* capture* device* cuda* "
        "stream* *stream gpu* seed* *seed rng* random* sync* *sync join* pool* *pool executor* *executor "
        "writer* *writer session* *session connect* scope* *scope figure* plt options* environ* closing "
        "cursor*",
    ),
    # Seeds and processes
    Topic.SEEDING: _words(
        "a call that may fix a random stream",
        "seed* *seed *seeds determin* reprod*",
        whole="lightningcli seedeverything setrngstate setstate",
    ),
    Topic.FORKING: _words("a context that puts the random state back", "fork* rng *rng seed* *seed"),
    Topic.SEEDS: _words("a function of a library that seeds a stream, with the seed as its argument", "seed* *seed"),
    Topic.GENERATOR_STATE: _words(
        "a function that sets the whole state of a generator",
        whole="setcudarngstate setrngstate setrngstateall setrngstates setstate",
    ),
    Topic.RANK: _words("the number of a process", "rank* *rank mainprocess ismaster ismain"),
    Topic.RANKS: _words(
        "rows that are shared out among processes", "rank* *rank world* shard* replica* node* processindex"
    ),
    Topic.MAIN_PROCESS: _words("a test that lets one process pass", "mainprocess ismaster ismain"),
    Topic.PARTS_OF_A_MODEL: _words(
        "processes that divide a model, and share their batches", "model* tensor* pipe* tp mp pp expert* sequence*"
    ),
}
"""The words of each topic."""
