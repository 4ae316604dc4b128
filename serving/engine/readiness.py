"""Ready means: one real completion came back."""

import time
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

HEALTH_TIMEOUT_S = 5.0
COMPLETION_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.5
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class NotReady(Exception):
    """Why the server cannot be used now; the message is one line."""


class ServerGone(Exception):
    """The server's process ended while somebody waited for it."""


def probe(base_url: str, model: str | None = None, api_key: str | None = None) -> str:
    """Ask for one token and return the model's name; `base_url` ends in /v1.

    Raises `NotReady`. Without `model` the first one that the server lists is asked.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    # A proxy from the environment must not stand between this machine and itself.
    use_proxies = urlsplit(base_url).hostname not in LOOPBACK
    try:
        with httpx.Client(
            base_url=base_url, headers=headers, timeout=COMPLETION_TIMEOUT_S, trust_env=use_proxies
        ) as client:
            listed = client.get("models", timeout=HEALTH_TIMEOUT_S).raise_for_status().json()
            name = model or str(listed["data"][0]["id"])
            question = [{"role": "user", "content": "Hi"}]
            reply = client.post(
                "chat/completions", json={"model": name, "messages": question, "max_tokens": 1}
            )
            reply.raise_for_status().json()["choices"][0]["message"]
    except httpx.HTTPError as error:
        raise NotReady(f"{type(error).__name__}: {error}".splitlines()[0]) from error
    except (ValueError, LookupError, TypeError) as error:
        raise NotReady(f"{base_url} does not speak the OpenAI protocol") from error
    return name


def wait_until_ready(
    root_url: str, model: str, timeout_s: float, is_alive: Callable[[], bool]
) -> None:
    """Raises `ServerGone` when the process is gone, `NotReady` when `timeout_s` is over."""
    deadline = time.monotonic() + timeout_s
    reason = "nothing answers yet"
    with httpx.Client(base_url=root_url, timeout=HEALTH_TIMEOUT_S, trust_env=False) as client:
        while time.monotonic() < deadline:
            if not is_alive():
                raise ServerGone
            try:
                client.get("/health").raise_for_status()
                probe(root_url + "/v1", model)
            except httpx.HTTPStatusError as error:
                reason = f"/health answers {error.response.status_code}"
            except httpx.HTTPError as error:
                reason = f"/health: {type(error).__name__}"
            except NotReady as error:
                reason = str(error)
            else:
                return
            time.sleep(POLL_INTERVAL_S)
    raise NotReady(reason)
