"""Makes a checkpoint with the layout of BGE-M3 and next to no weights, in seconds."""

import io
import json
from pathlib import Path

import sentencepiece
import torch
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizer

HIDDEN = 64
SENTENCES = [
    "The extent of sea ice in the Arctic has declined since records began.",
    "Patients who were treated early had a lower risk of death than others.",
    "We measure how well a model finds the passage that answers a question.",
    "北极海冰的范围自有记录以来一直在缩小。",
    "早期治疗的患者死亡风险低于其他患者。",
    "我们衡量模型找到回答问题的段落的能力。",
]


def make_checkpoint(folder: Path) -> Path:
    """XLM-RoBERTa with 2 layers of 64, its tokenizer, and the two extra heads of M3."""
    torch.manual_seed(11)
    tokenizer = _tokenizer(folder)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=1026,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), folder / "sparse_linear.pt")
    pooling = folder / "1_Pooling"
    pooling.mkdir()
    shape = {"word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": True}
    (pooling / "config.json").write_text(json.dumps(shape))
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {
            "idx": 1,
            "name": "1",
            "path": "1_Pooling",
            "type": "sentence_transformers.models.Pooling",
        },
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def _tokenizer(folder: Path) -> XLMRobertaTokenizer:
    """A Unigram vocabulary of the sentences, in the id order of XLM-RoBERTa."""
    folder.mkdir(parents=True, exist_ok=True)
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20),
        model_writer=trained,
        model_type="unigram",
        vocab_size=300,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=trained.getvalue())
    learned = [(model.id_to_piece(i), model.get_score(i)) for i in range(3, len(model))]
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    return XLMRobertaTokenizer(vocab=[*special, *learned, ("<mask>", 0.0)])
