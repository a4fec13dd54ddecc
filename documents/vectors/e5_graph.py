"""Write the e5 encoder as an ONNX graph with int8 weights, one scale per output channel. Pure.

Input `embeddings`, shape (1, tokens, hidden): the summed embeddings. Output `vector`, shape
(1, hidden): the mean over the tokens, length 1. Activations are quantised while it runs, one scale
for each text, so a text's vector depends on nothing but the text as long as it runs alone.
"""

from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from documents.vectors.packed_e5 import Floats, PackedE5

WeightType = Literal["int8", "uint8"]
"""uint8 gives the same vectors (the zero point moves by 128) and is the one that processors
without VNNI instructions multiply without saturating."""

Weights = NDArray[Any]

LOUD_CHANNELS = (318, 1462, 354, 408, 778, 658, 1152, 413, 563, 1264, 59, 554)
"""By layer, the one feed-forward channel that for a token or two of any text is up to 15 times as
loud as all others. Left in, it sets the scale for everybody: mean cosine .9975 instead of .999."""

ONNX_OPSET = 17
IR_VERSION = 8
CONTRIB = "com.microsoft"


class _Graph:
    """Nodes and constants in the order in which they are added."""

    def __init__(self, weight_type: WeightType) -> None:
        self.weight_type = weight_type
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Weights) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], *, domain: str = "", **attributes: Any) -> str:
        return self.split(kind, inputs, 1, domain=domain, **attributes)[0]

    def split(
        self, kind: str, inputs: list[str], outputs: int, *, domain: str = "", **attributes: Any
    ) -> list[str]:
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names


def encoder(model: PackedE5, weight_type: WeightType) -> bytes:
    """The serialised ONNX model."""
    graph = _Graph(weight_type)
    hidden = _normalised(graph, "embeddings", model, "emb.ln")
    for layer in range(model.sizes.layers):
        hidden = _layer(graph, hidden, model, f"l{layer}")
    mean = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [mean], ["vector"], axis=-1, p=2))
    size = model.sizes.hidden
    proto = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, [1, "tokens", size])],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, size])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", ONNX_OPSET), helper.make_opsetid(CONTRIB, 1)]
    made = helper.make_model(proto, opset_imports=opsets, ir_version=IR_VERSION)
    return bytes(made.SerializeToString())


def _layer(graph: _Graph, hidden: str, model: PackedE5, layer: str) -> str:
    names = [f"{layer}.{part}" for part in "qkv"]
    together = _linear(graph, hidden, model, names)
    sizes = graph.constant(f"{layer}.sizes", np.full(3, model.sizes.hidden, np.int64))
    parts = graph.split("Split", [together, sizes], 3, axis=-1)
    heads = model.sizes.heads
    attended = graph.node("MultiHeadAttention", parts, domain=CONTRIB, num_heads=heads)
    attended = _linear(graph, attended, model, [f"{layer}.ao"])
    # Add and LayerNormalization apart: the fused operator took ten times as long on the CPU.
    hidden = _normalised(graph, graph.node("Add", [hidden, attended]), model, f"{layer}.aln")
    narrow = _feed_forward(graph, hidden, model, layer)
    return _normalised(graph, graph.node("Add", [hidden, narrow]), model, f"{layer}.oln")


def _feed_forward(graph: _Graph, hidden: str, model: PackedE5, layer: str) -> str:
    """Wide, GELU, narrow; the layer's loud channel runs beside the others in full precision."""
    widen, widen_bias = model.matrix(f"{layer}.fi.w").T, model.floats(f"{layer}.fi.b")
    narrow, narrow_bias = model.matrix(f"{layer}.fo.w").T, model.floats(f"{layer}.fo.b")
    loud = [LOUD_CHANNELS[int(layer[1:])]]
    quiet = np.ones(model.sizes.feed_forward, np.float32)
    quiet[loud] = 0
    name = f"{layer}.wide"
    wide = _quantised_linear(graph, hidden, name, widen * quiet, widen_bias * quiet)
    wide = graph.node("Gelu", [wide], domain=CONTRIB)
    name = f"{layer}.narrow"
    sums = _quantised_linear(graph, wide, name, narrow * quiet[:, None], narrow_bias)
    alone = graph.node("MatMul", [hidden, graph.constant(f"{layer}.loud", widen[:, loud])])
    bias = graph.constant(f"{layer}.loud.bias", widen_bias[loud])
    alone = graph.node("Gelu", [graph.node("Add", [alone, bias])], domain=CONTRIB)
    alone = graph.node("MatMul", [alone, graph.constant(f"{layer}.loud.out", narrow[loud])])
    return graph.node("Add", [sums, alone])


def _normalised(graph: _Graph, value: str, model: PackedE5, name: str) -> str:
    weight = graph.constant(f"{name}.w", model.floats(f"{name}.w"))
    bias = graph.constant(f"{name}.b", model.floats(f"{name}.b"))
    inputs = [value, weight, bias]
    return graph.node("LayerNormalization", inputs, axis=-1, epsilon=model.sizes.epsilon)


def _linear(graph: _Graph, value: str, model: PackedE5, names: list[str]) -> str:
    """`value` times the named matrices side by side, plus their biases."""
    weights = np.concatenate([model.matrix(f"{name}.w") for name in names]).T
    bias = np.concatenate([model.floats(f"{name}.b") for name in names])
    return _quantised_linear(graph, value, names[0], weights, bias)


def _quantised_linear(graph: _Graph, value: str, name: str, weights: Floats, bias: Floats) -> str:
    scales, quantised, zeros = _quantised(weights, graph.weight_type)
    inputs = [
        value,
        graph.constant(f"{name}.quantised", quantised),
        graph.constant(f"{name}.scales", scales),
        graph.constant(f"{name}.zeros", zeros),
        graph.constant(f"{name}.bias", bias),
    ]
    return graph.node("DynamicQuantizeMatMul", inputs, domain=CONTRIB)


def _quantised(weights: Floats, weight_type: WeightType) -> tuple[Floats, Weights, Weights]:
    """Scales, weights and zero points, one per output channel (column)."""
    scales = np.maximum(np.abs(weights).max(axis=0) / 127, 1e-12).astype(np.float32)
    steps = np.rint(weights / scales).astype(np.int16)
    zero = 0 if weight_type == "int8" else 128
    dtype = np.dtype(weight_type)
    return scales, (steps + zero).astype(dtype), np.full(len(scales), zero, dtype)
