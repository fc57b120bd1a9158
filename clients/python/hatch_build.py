"""Generates the messages, services and reasons in a clone of the project. The sdist has them already.

Also makes the links of the README absolute, because PyPI shows it without the other pages.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """hatchling's hook for metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the README, whose relative links lead to the files of this version."""
        folder = f"{metadata['urls']['Repository']}/blob/v{metadata['version']}/clients/python/"
        text = (Path(self.root) / "README.md").read_text()
        text = re.sub(r"\]\((?=\.)([^)]*)\)", lambda link: f"]({urljoin(folder, link[1])})", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


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
