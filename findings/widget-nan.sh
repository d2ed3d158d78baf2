#!/usr/bin/env bash
# What a notebook's widget gets for NaN depends on whether orjson happens to be installed.
#
# Versions: anywidget 0.11.0, ipykernel 7.4.0, jupyter_client 8.10.0, orjson 3.13.0, marimo 0.25.2.
# Guess: one of NaN, null and an error, by the version of Jupyter.
# Seen: without orjson, a List or a Float of NaN and infinity arrives as the texts "nan" and "inf". With orjson in the same environment,
#   which nothing here asks for, jupyter_client sends null for both, as marimo does: NaN and infinity cannot be told apart.
# Hurts: a slowdown of a kernel that never finished (infinity), or a mean of nothing (NaN), is a text that sorts and draws as
#   anything, or null that JavaScript counts as 0. Series go as bytes of doubles instead.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
export JUPYTER_PREFER_ENV_PATH=1 IPYTHONDIR="$dir/ipython"
python3 -m venv v
v/bin/pip install -q anywidget==0.11.0 ipykernel==7.4.0 jupyter_client==8.10.0
cat > widget.py <<'PY'
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="python3")
client.execute("""
import anywidget, traitlets
class Widget(anywidget.AnyWidget):
    _esm = "export default {}"
    series = traitlets.List().tag(sync=True)
    slowdown = traitlets.Float().tag(sync=True)
Widget(series=[1.5, float("nan"), float("inf")], slowdown=float("inf"))
""")
while True:
    message = client.get_iopub_msg(timeout=60)
    state = message["content"].get("data", {}).get("state", {})
    if "series" in state:
        print(state["series"], repr(state["slowdown"]))
    if message["content"].get("execution_state") == "idle" and message["parent_header"].get("msg_type") == "execute_request":
        break
manager.shutdown_kernel(now=True)
PY
widget() { v/bin/python widget.py 2> log || { cat log; exit 1; }; }
{
    echo "without orjson $(widget)"
    v/bin/pip install -q orjson==3.13.0
    echo "with orjson $(widget)"
    v/bin/pip install -q marimo==0.25.2
    echo "marimo $(v/bin/python -c 'from marimo._messaging.msgspec_encoder import encode_json_str
print(encode_json_str([1.5, float("nan"), float("inf")]))')"
} | tee seen
diff - seen <<'SEEN'
without orjson [1.5, 'nan', 'inf'] 'inf'
with orjson [1.5, None, None] None
marimo [1.5,null,null]
SEEN
