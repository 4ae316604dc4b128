"""What the exit code of a command means; the help text of `knowledge-agent` says the same."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.transcript import Transcript

EXIT_ANSWERED, EXIT_ERROR, EXIT_REFUSED, EXIT_DEGRADED = 0, 1, 3, 4
EXIT_INTERRUPTED = 130


def exit_code_of(transcript: "Transcript") -> int:
    if transcript.outcome is None:
        return EXIT_ERROR
    if transcript.outcome.kind == "refused":
        return EXIT_REFUSED
    return EXIT_DEGRADED if transcript.outcome.degraded else EXIT_ANSWERED
