"""A run as a widget for notebooks, run by the engine in the browser. It needs anywidget."""

from array import array
from pathlib import Path

import anywidget
import traitlets

_HERE = Path(__file__).parent


class Corun(anywidget.AnyWidget):
    """Shows the run of `link`, the page's address of it. When that has ended, `result` has its result, or in `problems` what cannot run, and `series`
    for each run its columns by name, with a number for each window."""

    _esm = _HERE / "widget.mjs"
    wasm = traitlets.Bytes((_HERE / "corun_script_bg.wasm").read_bytes()).tag(sync=True)
    link = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode().tag(sync=True)
    result = traitlets.Dict()
    series = traitlets.List()

    def __init__(self, **given):
        super().__init__(**given)
        self.on_msg(self._ended)

    def _ended(self, _, message, buffers):
        self.series = [
            {name: array("d", bytes(rows))[at :: len(names)] for at, name in enumerate(names)}
            for names, rows in zip(message["series"], buffers)
        ]
        self.result = message["result"]
