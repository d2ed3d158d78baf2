"""The wheel's tag: any Python 3, on the platform of the runner in it."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        # The first one has this machine's own C library, on which the runner was linked. `linux_…` says nothing of one.
        fitting = (tag for tag in platform_tags() if not tag.startswith("linux_"))
        build_data["tag"] = f"py3-none-{next(fitting)}"
