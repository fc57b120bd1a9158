"""The service and its data, from the environment variables that `npm run task clients` sets."""

import os

LIMITS = (
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit",
    "ratelimit-policy",
)


def env(name: str) -> str:
    value = os.environ.get(f"INVENTORY_{name}")
    assert value is not None, f"INVENTORY_{name} is not set: run `npm run task clients`"
    return value
