"""Generates the messages, services and reasons in a clone of the project. The sdist has them already."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateHook(BuildHookInterface):
    """hatchling's hook for sdists and wheels."""

    @property
    def _project(self) -> Path | None:
        """The root of the project, or None outside a clone."""
        project = Path(self.root).parent.parent
        return project if (project / "clients/generate.sh").exists() else None

    def dependencies(self) -> list[str]:
        """The generator, which pip installs for the build only."""
        if self._project is None:
            return []
        requirements = (self._project / "test/system/clients/python/requirements.txt").read_text()
        return re.findall(r"^grpcio-tools==.*$", requirements, re.MULTILINE)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generates the code before files are collected."""
        if self._project is not None:
            command = [str(self._project / "clients/generate.sh"), "python"]
            subprocess.run(command, check=True, env={**os.environ, "PYTHON": sys.executable})
