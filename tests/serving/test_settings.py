import pytest

from graph.errors import ConfigError
from serving.settings import load_settings


def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_ENGINE_URL", "")
    monkeypatch.setenv("KA_EMBED_URL", "")
    monkeypatch.setenv("KA_RERANK_URL", "")
    settings = load_settings()
    assert (settings.engine_url, settings.embed_url, settings.rerank_url) == (None, None, None)


@pytest.mark.parametrize(
    "address", ["http://host:port/v1", "localhost:8000", "ftp://host/v1", "v1"]
)
def test_an_address_that_is_none_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_ENGINE_URL", address)
    with pytest.raises(ConfigError, match=r"KA_ENGINE_URL: .*http://127\.0\.0\.1:8000/v1"):
        load_settings()


def test_a_slash_at_the_end_of_an_address_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_ENGINE_URL", "http://127.0.0.1:8000/v1/")
    assert load_settings().engine_url == "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KA_DEADLINE_S", "0"),
        ("KA_ENGINE_PORT", "70000"),
        ("KA_TENANT", "../up"),
        ("KA_NEIGHBOURS", "4"),
        ("KA_RERANK_URL", "localhost:8000"),
        ("KA_JWT_ALGORITHMS", "HS256"),
        ("KA_JWT_ALGORITHMS", "RS256,none"),
        ("KA_JWT_ALGORITHMS", ""),
        ("KA_JWT_JWKS_URL", "file:///etc/passwd"),
    ],
)
def test_a_value_out_of_range_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name):
        load_settings()


def test_algorithms_of_tokens_stand_with_commas_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_settings().jwt_algorithms == ("RS256", "ES256")
    monkeypatch.setenv("KA_JWT_ALGORITHMS", "PS256, EdDSA")
    assert load_settings().jwt_algorithms == ("PS256", "EdDSA")
