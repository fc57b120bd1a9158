"""Checks the retry rules of the installed package against the cases of all clients, whose file is in CASES."""

import os
import unittest
from pathlib import Path

import grpc

from inventory_client.errors import InventoryError
from inventory_client.retry import backoff, retry_delay

LINES = [
    line
    for line in Path(os.environ["CASES"]).read_text().splitlines()
    if line and not line.startswith("#")
]


class RetryRules(unittest.TestCase):
    def test_cases(self) -> None:
        self.assertGreater(len(LINES), 30)
        for line in LINES:
            with self.subTest(line):
                reason, code, asks, repeatable, repeated = line.split("\t")
                error = InventoryError(grpc.StatusCode[code], "", {})
                error.reason = None if reason == "-" else reason
                error.retry_after = (
                    None if asks == "-" else -1 if asks == "never" else int(asks) / 1000
                )
                delay = retry_delay(error, repeatable == "yes", 0)
                self.assertEqual(delay is not None, repeated == "yes")
                if delay is not None:
                    self.assertGreaterEqual(delay, error.retry_after or 0)
                    self.assertLessEqual(delay, (error.retry_after or 0) + 0.25)

    def test_the_random_time_is_bounded(self) -> None:
        for _ in range(100):
            self.assertLessEqual(backoff(20), 8)


if __name__ == "__main__":
    unittest.main()
