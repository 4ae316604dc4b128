"""Who is at the terminal, as the audit log names them."""


def act_as_this_user() -> None:
    """What this process changes from now on is this user's, by the system's word and not by a
    variable, which anybody can set."""
    import psutil

    from serving.telemetry.context import act_as

    act_as(f"cli:{psutil.Process().username()}")
