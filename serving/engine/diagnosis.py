"""Why a server died, from its log and its exit status."""

import re
import signal
from pathlib import Path

from graph.errors import EngineDied, EngineError, ModelMissing, NotEnoughMemory, PortInUse

SHOWN_LINES = 20

OUT_OF_MEMORY = re.compile(
    r"CUDA out of memory|OutOfMemoryError|\bMemoryError\b|bad_alloc|can't allocate memory"
    r"|Cannot allocate memory|No available memory for the cache blocks"
    r"|larger than the available KV cache memory|less than desired GPU memory utilization"
    r"|larger than the maximum number of tokens that can be stored in KV cache",
    re.IGNORECASE,
)
NO_MODEL = re.compile(
    r"is not a valid model identifier|RepositoryNotFoundError|GatedRepoError"
    r"|LocalEntryNotFoundError|couldn't connect to|Can't load the configuration of"
    r"|cannot find the requested files|No such file or directory: .*\.safetensors",
    re.IGNORECASE,
)
PORT_TAKEN = re.compile(r"address already in use", re.IGNORECASE)
ANSI_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def explain_death(
    log_lines: list[str], exit_status: int | None, model: str, log_file: Path
) -> EngineError:
    """The error to raise; it carries the last 20 log lines.

    `exit_status` is None where another command started the server, negative after a signal.
    """
    lines = [ANSI_COLOURS.sub("", line) for line in log_lines]
    text = "\n".join(lines)
    tail = "\n".join(["", f"The end of {log_file}:", *lines[-SHOWN_LINES:]])
    if PORT_TAKEN.search(text):
        return PortInUse(f"the port was taken while the model server started{tail}")
    if OUT_OF_MEMORY.search(text) or exit_status == -signal.SIGKILL:
        return NotEnoughMemory(
            "the model server ran out of memory; choose a smaller profile (knowledge-agent engine "
            f"profiles) or free some memory{tail}"
        )
    if NO_MODEL.search(text):
        return ModelMissing(
            f"the model {model} could not be loaded or downloaded; check the network (or set "
            "HF_TOKEN for a gated model), or choose the profile cpu-smollm2, which needs no hub"
            + tail
        )
    ending = "" if exit_status is None else f" ({_exit_words(exit_status)})"
    return EngineDied(f"the model server died while it started{ending}{tail}")


def _exit_words(exit_status: int) -> str:
    if exit_status >= 0:
        return f"exit status {exit_status}"
    return f"ended by {signal.Signals(-exit_status).name}"
