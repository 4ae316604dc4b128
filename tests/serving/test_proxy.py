import pytest

from serving.proxy import uses_proxy


@pytest.mark.parametrize(
    ("url", "used"),
    [
        ("http://127.0.0.1:8100/v1", False),
        ("http://[::1]:8100/v1", False),
        ("http://localhost/v1", False),
        ("http://10.0.0.7:8100/v1", True),
        ("https://models.example/v1", True),
    ],
)
def test_a_server_of_this_machine_is_never_reached_through_a_proxy(url: str, used: bool) -> None:
    assert uses_proxy(url) == used
