"""transformers.models.wav2vec2.modeling_wav2vec2: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import Wav2Vec2ForAudioFrameClassification as Wav2Vec2ForAudioFrameClassification
from transformers import Wav2Vec2ForCTC as Wav2Vec2ForCTC
from transformers import Wav2Vec2ForPreTraining as Wav2Vec2ForPreTraining
from transformers import Wav2Vec2ForSequenceClassification as Wav2Vec2ForSequenceClassification
from transformers import Wav2Vec2ForXVector as Wav2Vec2ForXVector
from transformers import Wav2Vec2Model as Wav2Vec2Model
from transformers import Wav2Vec2PreTrainedModel as Wav2Vec2PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class Wav2Vec2EncoderLayer(GradientCheckpointingLayer): ...
