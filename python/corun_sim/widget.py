"""A run as a widget for notebooks, run by the engine in the browser. It needs anywidget."""

from pathlib import Path

import anywidget
import traitlets

_HERE = Path(__file__).parent


class Corun(anywidget.AnyWidget):
    """Shows the run of `link`, the page's address of it, and sets `result`; in `problems` of it stands what cannot run."""

    _esm = _HERE / "widget.mjs"
    wasm = traitlets.Bytes((_HERE / "corun_script_bg.wasm").read_bytes()).tag(sync=True)
    link = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)
