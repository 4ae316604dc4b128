"""Where the model server is, and its key."""

from serving.engine.profiles import load_profile
from serving.engine.state import read_state
from serving.settings import Settings


def model_url(settings: Settings) -> str:
    """The owner's server, else the engine of this machine, running or not."""
    if settings.engine_url:
        return settings.engine_url
    state = read_state(settings.engine_dir)
    return state.base_url if state else f"http://127.0.0.1:{settings.engine_port}/v1"


def api_key(settings: Settings) -> str | None:
    return settings.engine_api_key.get_secret_value() if settings.engine_api_key else None


def engine_priorities(settings: Settings) -> bool:
    """Whether the server takes a call's priority: vLLM refuses it unless it schedules by it."""
    if settings.engine_priorities is not None:
        return settings.engine_priorities
    state = None if settings.engine_url else read_state(settings.engine_dir)
    return state is not None and load_profile(state.profile).schedules_by_priority
