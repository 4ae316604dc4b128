"""GGUF in, a folder that vLLM serves out. Run by `models.py` with the Python of the engine's venv.

    python -I convert_gguf.py MODEL.gguf FOLDER

Nothing of this product is imported here: the engine's venv does not hold it.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

# The file says so by `tokenizer.ggml.pre = smollm`, which transformers does not read: the model was
# trained with every digit as a piece of its own.
SMOLLM_PRE_TOKENIZER = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ]
)


def convert(gguf: Path, folder: Path) -> None:
    """Write weights as bfloat16 safetensors, the tokenizer and its chat template into `folder`."""
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
    )
    model.save_pretrained(folder)
    # Left in, it makes vLLM look for the quantized weights that are no longer there.
    config_path = folder / "config.json"
    config = json.loads(config_path.read_text(encoding="utf-8"))
    config.pop("quantization_config", None)
    config_path.write_text(json.dumps(config, indent=2), encoding="utf-8")

    tokenizer = AutoTokenizer.from_pretrained(
        gguf.parent, gguf_file=gguf.name, model_max_length=config["max_position_embeddings"]
    )
    if not tokenizer.chat_template:
        raise SystemExit(f"{gguf.name} holds no chat template")
    tokenizer.backend_tokenizer.pre_tokenizer = SMOLLM_PRE_TOKENIZER
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
