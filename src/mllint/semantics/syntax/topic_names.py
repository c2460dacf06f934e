"""The table of topics: which words of a name speak of what, where the question is not what an object is.

This is data. To teach mllint a word, add it here. What an object *is* stands in `training.role_names`; no other module
holds words of identifiers.

    anywhere   words that speak of the topic wherever they stand in a name
    first      words that do so as the first one: `evaluate_model`
    last       words that do so as the last one: `image_paths`
    whole      whole names, written together

A word is compared as a whole. `load*` stands for the words that begin with it (`loads`, `loader`), `*loader` for those
that end with it (`dataloader`): forms and compounds of one word, of which English has more than a table should hold.
Two words that stand together count as one as well (`log_prob` as `logprob`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["TOPICS", "Topic", "Words"]


class Topic(Enum):
    """What a name may speak of."""

    __hash__ = object.__hash__  # that of `Enum` is computed in Python, and members are what they are by identity

    ABOUT_TRAINING = auto()
    ACTIVATION = auto()
    ANSWERS = auto()
    APART = auto()
    AUGMENTATION = auto()
    AUGMENTING = auto()
    BATCHES = auto()
    BEST = auto()
    BUILDING = auto()
    CALCULATED = auto()
    CHOOSING = auto()
    COUNTING = auto()
    CRITERIA = auto()
    DATA = auto()
    DECAYING = auto()
    DIFFERENCES = auto()
    DISTURBANCE = auto()
    ENCODING = auto()
    ENVIRONMENT = auto()
    EPOCHS = auto()
    FAILURE = auto()
    FETCHING = auto()
    FILES = auto()
    FITTING = auto()
    FOLDERS = auto()
    FORKING = auto()
    GROUPS = auto()
    GUESSES = auto()
    HELD_OUT = auto()
    HOLDING_ROWS = auto()
    HIGHER_IS_BETTER = auto()
    INDICES = auto()
    INPUTS = auto()
    ITERATED = auto()
    KEEPING = auto()
    LABELS = auto()
    LABEL_TABLE = auto()
    LOADERS = auto()
    LOADING = auto()
    LOSSES = auto()
    LOWER_IS_BETTER = auto()
    MADE_UP = auto()
    MAIN_PROCESS = auto()
    MAKING_DATA = auto()
    MEASURING = auto()
    MIXING = auto()
    MODELS = auto()
    NUMBERS = auto()
    OPTIMIZERS = auto()
    OTHER_CONTEXTS = auto()
    PARTS = auto()
    PARTS_OF_A_MODEL = auto()
    PLATEAU = auto()
    PRESENT = auto()
    PROGRESS = auto()
    PUBLISHED = auto()
    RANDOMNESS = auto()
    RANK = auto()
    RANKS = auto()
    RATES = auto()
    READING_OPTIONS = auto()
    READING_ROWS = auto()
    RESHAPED = auto()
    ROLLOUT = auto()
    RUNNING = auto()
    SAMPLES = auto()
    SCHEDULES = auto()
    SCORE = auto()
    SCORES = auto()
    SEEDING = auto()
    SHARING = auto()
    SHOWING = auto()
    SIZES = auto()
    SMALL = auto()
    STATE = auto()
    STOPPING = auto()
    SUBSETS = auto()
    TEMPLATES = auto()
    TENSORS = auto()
    TEST_FILE = auto()
    TEST_TIME_AUGMENTATION = auto()
    TEXT = auto()
    TEXT_NUMBERS = auto()
    TRAINING_FLAG = auto()
    TRAINING_PATH = auto()
    TRANSFORMS = auto()
    TRUE_LABELS = auto()
    TRUTH = auto()
    TRUTH_ALONE = auto()
    UNPAIRED = auto()
    VALIDATION = auto()
    WEIGHTS_FILE = auto()
    WHOLE = auto()
    WRITING = auto()


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one topic; see the module's essay."""

    anywhere: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()


def _words(anywhere: str = "", *, first: str = "", last: str = "", whole: str = "") -> Words:
    return Words(tuple(anywhere.split()), tuple(first.split()), tuple(last.split()), frozenset(whole.split()))


_LOADING = "load* *load *loader *loaders *loading iter* *iter *iterator dl *dl"
_MAKING = (
    "load* *load *loader *loaders *loading dataset* *dataset *datasets subset* *subset ds *ds dl *dl data "
    "*data set *set"
)

TOPICS: dict[Topic, Words] = {
    Topic.ABOUT_TRAINING: _words(
        "train* fit*",
    ),
    Topic.ACTIVATION: _words(
        "activation* act nonlinear*",
    ),
    Topic.ANSWERS: _words(
        whole="label labels mask masks target targets y yb ys",
    ),
    Topic.APART: _words(
        "holdout* hold unseen blind* external finaltest",
    ),
    Topic.AUGMENTATION: _words(
        "aug* *aug",
    ),
    Topic.AUGMENTING: _words(whole="aug augment augmentation istrain istraining training"),
    Topic.BATCHES: _words(
        last="batch minibatch *batch",
    ),
    Topic.BEST: _words("best bestacc bestloss bestscore bestmodel isbest"),
    Topic.BUILDING: _words(
        first="get build make create init set setup prepare configure load",
    ),
    Topic.CALCULATED: _words(
        "hidden hiddens *loss logit* latent* feat* *feat *feats emb* *emb mask* *mask out output* pred*",
        first="h hx",
    ),
    Topic.CHOOSING: _words(
        "subset* *subset split* *split sampler* *sampler sample* *sample indices index idx select* filter* "
        "fold* take* chunk* partition* concat* cat",
    ),
    Topic.COUNTING: _words(
        last="step steps *steps size *size count *count number len length worker workers *workers seed *seed",
    ),
    Topic.CRITERIA: _words(
        "loss* *loss criteri* entropy *entropy dice focal*",
    ),
    Topic.DATA: _words(
        _LOADING + " data* *data set sets *set *sets ds *ds file* *file *files frame* *frame df *df path* *path *paths "
        "image* ids *ids split* *split corpus* *corpus sampl* *samples rows *rows token* *tokens utter*",
    ),
    Topic.DECAYING: _words(anywhere="decay"),
    Topic.DIFFERENCES: _words(
        "missing* unexpected*",
    ),
    Topic.DISTURBANCE: _words(
        "perturb* corrupt* nois* robust* rotat* shifted affine* attack* distort* *corrupted *rotated",
    ),
    Topic.ENCODING: _words(
        first="encode*",
        last="id ids idx",
    ),
    Topic.ENVIRONMENT: _words(
        last="env envs *env *envs space",
    ),
    Topic.EPOCHS: _words(
        "epoch* *epoch *epochs",
    ),
    Topic.FAILURE: _words(
        "fail* could unable cannot error* corrupt* match* mismatch* wrong broken invalid problem* warning* "
        "unexpected* incompatib*",
    ),
    Topic.FETCHING: _words(
        "open* *open load* *load *loader read* *read *reader get* fetch* decode* parse* sample* *sample item* "
        "*item *items next*",
    ),
    Topic.FILES: _words(
        last="file files path paths name names url urls *path *paths *name *names",
    ),
    Topic.FITTING: _words(
        whole="istrain istraining train training",
    ),
    Topic.FOLDERS: _words(
        "dir *dir dirs root *root folder* *folder",
        last="path",
    ),
    Topic.FORKING: _words(
        "fork* rng *rng seed* *seed",
    ),
    Topic.GROUPS: _words(
        "group* *group *groups subject* patient* fold* session*",
    ),
    Topic.GUESSES: _words(
        "pred* guess* hypothes*",
    ),
    Topic.HELD_OUT: _words(
        "val valid validation test testing eval dev",
    ),
    Topic.HOLDING_ROWS: _words(
        _LOADING,
        first="x y",
        last="it data *data ds *ds set *set batches loaders iterators",
    ),
    Topic.HIGHER_IS_BETTER: _words(
        "acc accuracy accuracies f fscore auc auroc auprc rocauc bleu sacrebleu rouge* meteor precision recall map "
        "mapk ap iou miou jaccard dice psnr ssim top kappa mcc ndcg mrr hits spearman* pearson* em",
        last="r",
    ),
    Topic.INDICES: _words(
        "idx *idx ind inds index indices order* perm* x y",
    ),
    Topic.INPUTS: _words(
        whole="data features image images img imgs input inputids inputs x xb xs",
    ),
    Topic.ITERATED: _words(
        "load* *load *loader *loaders batch* *batch *batches iter* *iter data* *data *dataset dl *dl train* "
        "*train valid* test* *test",
    ),
    Topic.KEEPING: _words(
        "stop* *stop *stopping save* best* *best checkpoint* *checkpoint *checkpointing",
    ),
    Topic.LABELS: _words(
        "label* *label *labels lbl* class* *class cls target* categ* truth tag* speaker* code* *code y",
        first="y*",
    ),
    Topic.LABEL_TABLE: _words(
        "class* cls label* cat* id ids *id ix *ix idx *idx index* to map* *map *mapping code* vocab* num* "
        "enc* *enc dict* *dict lookup* target* stoi itos tag* word* d",
    ),
    Topic.LOADERS: _words(
        last="loader *loader dl *dl",
    ),
    Topic.LOADING: _words(
        _LOADING + " batch* *batch *batches",
    ),
    Topic.LOSSES: _words(
        "loss* *loss entropy *entropy nll* *nll kldiv* bce* *bce mse* *mse",
        last="score",
    ),
    Topic.LOWER_IS_BETTER: _words(
        "loss losses wer cer ter eer mae mse rmse mape smape rmsle nll perplexity ppl bpc fid lpips error err",
    ),
    Topic.MADE_UP: _words(
        "synthetic* dummy* fake* mock* random*",
    ),
    Topic.MAIN_PROCESS: _words(
        "mainprocess ismaster ismain",
    ),
    Topic.MAKING_DATA: _words(
        _MAKING,
    ),
    Topic.MEASURING: _words(
        first="eval* valid* test* infer* accuracy* score* measure* compute*",
    ),
    Topic.MIXING: _words(
        "shuffle* choice* choices permutation randperm",
        first="sample*",
    ),
    Topic.MODELS: _words(
        last="model net network *network",
        whole="backbone classifier encoder netd netg student teacher",
    ),
    Topic.NUMBERS: _words(
        whole="label labels logit logits loss mask masks out output outputs pred prediction predictions preds score "
        "scores target targets",
    ),
    Topic.OPTIMIZERS: _words(
        "optim* *optim *optimizer opt",
    ),
    Topic.OTHER_CONTEXTS: _words(
        "autocast* amp cast* precision* tim* *timer clock* prof* *profiler record* trac* span* log* *logger "
        "tqdm progress* bar *bar alive* status spinner* live* open* file* *file path* *path dir* *dir temp* "
        "zip* *zip tar* h lock* *lock mutex* warn* suppress* nullcontext redirect* capture* device* cuda* "
        "stream* *stream gpu* seed* *seed rng* random* sync* *sync join* pool* *pool executor* *executor "
        "writer* *writer session* *session connect* scope* *scope figure* plt options* environ* closing "
        "cursor*",
    ),
    Topic.PARTS: _words(
        "train* *train test* *test val* *val phase* split* *split part* mode* infer* eval* *eval",
    ),
    Topic.PARTS_OF_A_MODEL: _words(
        "model* tensor* pipe* tp mp pp expert* sequence*",
    ),
    Topic.PLATEAU: _words("plateau*"),
    Topic.PRESENT: _words(anywhere="valid"),
    Topic.PROGRESS: _words(
        "epoch* *epoch *epochs step* *step *steps iter* *iter start* best* *best",
    ),
    Topic.PUBLISHED: _words(anywhere="url urls"),
    Topic.RANDOMNESS: _words(
        "aug* rand* *rand flip* *flip jitter* *jitter nois* *noise mixup cutout crop* *crop shuffle* hash* "
        "projectionpursuit",
    ),
    Topic.RANK: _words(
        "rank* *rank mainprocess ismaster ismain",
    ),
    Topic.RANKS: _words(
        "rank* *rank world* shard* replica* node* processindex",
    ),
    Topic.RATES: _words(
        "lr* warmup* anneal*",
    ),
    Topic.READING_OPTIONS: _words(
        "batch* shuf* worker* *workers aug* *aug transform* *transform *transforms trfm* tfm* droplast pin "
        "persist* collate* prefetch* samplerseed timeout device* bs *bs",
    ),
    Topic.READING_ROWS: _words(
        "*dataset",
        first="read* load*",
        whole="imagefolder open",
    ),
    Topic.RESHAPED: _words(
        "out output* input* inputs pred* *pred logit* score* *score prob* attn attention* weight* latent* code* *code",
    ),
    Topic.ROLLOUT: _words(
        "advantage* logprob* rollout* experience* trajector* obs observation* reward rewards action actions",
    ),
    Topic.RUNNING: _words(
        first="eval* test* predict* infer* generate* validate* train",
        whole="fit runepoch",
    ),
    Topic.SAMPLES: _words(
        "batch* *batch *batches data* *data sample* *sample *samples",
    ),
    Topic.SCHEDULES: _words(
        "sched* *sched *scheduler",
    ),
    Topic.SCORE: _words(
        last="out logit logits score scores pred preds output outputs",
        whole="input inputs logit logits out output outputs pred predicted prediction predictions preds probs score "
        "scores yhat ypred",
    ),
    Topic.SCORES: _words(
        "loss* *loss *losses acc accs accuracy accuracies score* *score *scores metric* *metrics history "
        "result* f auc epsilon",
    ),
    Topic.SEEDING: _words(
        "seed* *seed *seeds determin* reprod*",
        whole="lightningcli seedeverything setrngstate setstate",
    ),
    Topic.SHARING: _words(
        "share* sharing tie tied tying recurren* siamese*",
    ),
    Topic.SHOWING: _words(
        "plot* *plot show* *show draw* visuali*",
        whole="print",
    ),
    Topic.SIZES: _words(
        "batch* *batch bs *bs bsz bptt chunk* seqlen",
    ),
    Topic.SMALL: _words(
        "debug* overfit* sanity tiny toy* dry smoke*",
    ),
    Topic.STATE: _words(
        "hid* state* *state *states mem* cell* h hx hc",
    ),
    Topic.STOPPING: _words("stop* *stop *stopper *stopping"),
    Topic.SUBSETS: _words(
        "subset* *subset split* *split sampler* *sampler indices index idx select* filter*",
    ),
    Topic.TEMPLATES: _words(first="modular"),
    Topic.TENSORS: _words(
        "image* *image *images img* *img *imgs label* target* mask* feat* hidden* quer* key keys value values "
        "emb* *emb",
        first="x y",
        whole="h out output",
    ),
    Topic.TEST_FILE: _words(
        "test*",
    ),
    Topic.TEST_TIME_AUGMENTATION: _words("tta *tta"),
    Topic.TEXT: _words(
        "word* *word *words token* *token *tokens vocab* sentence* text* char* *chars",
    ),
    Topic.TEXT_NUMBERS: _words(
        "id *id ids *ids ix *ix idx *idx ind* num* len* length* count* size* freq* to",
    ),
    Topic.TRAINING_FLAG: _words(
        "train* split* mode* phase* part* flag* fold* subset* seed*",
    ),
    Topic.TRAINING_PATH: _words(
        "train training trn",
    ),
    Topic.TRANSFORMS: _words(
        "tf *tf *tfs tfm* *tfm *tfms transform* *transform *transforms trans aug* *aug preproc* pipeline* *pipeline",
    ),
    Topic.TRUE_LABELS: _words(
        "true* *true label* *label *labels known",
        first="target* gt",
        whole="y yte ytest ytr ytrain yva yval yvalid yy",
    ),
    Topic.TRUTH: _words(
        "true* truth* label* *label *labels target* *target gold* gt",
        first="y*",
    ),
    Topic.TRUTH_ALONE: _words(
        last="label labels labelid labelids labelsid labelsids",
        whole="groundtruth gt target targets trg y ytrue",
    ),
    Topic.UNPAIRED: _words(
        "unpair* unalign* cycle* style* domain*",
    ),
    Topic.VALIDATION: _words("val vali valid validation dev"),
    Topic.WEIGHTS_FILE: _words(
        "download*",
        whole="fromfile load loadcheckpoint loadfile loads loadstatedictfromurl loadurl torchload",
    ),
    Topic.WHOLE: _words(
        "full all whole both total",
    ),
    Topic.WRITING: _words(
        "dump* *dump save* *save write* *write *writer",
    ),
}
"""The words of each topic."""
