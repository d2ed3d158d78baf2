#!/usr/bin/env bash
# A 64-bit digest survives JSON and dies in the reader, by what stands in other rows.
#
# Versions: pandas 3.1.1 (its own reader, and engine="pyarrow" with pyarrow 22.0.0), polars 2.1.0, duckdb 2.0.1.
# Guess: Python's integers have no end, so pandas keeps them; a string in quotes stays a string.
# Seen, for JSON lines with digests of 64 bits:
#   whole numbers   pandas keeps them as uint64, until one row has null: then all are floats, and two that differ are equal.
#                   engine="pyarrow" makes them floats at once. polars (Int128) and duckdb (HUGEINT) are exact.
#   in quotes       pandas makes numbers of hexadecimal digests where each row's could be one: "0e12345678901234" is 0 and
#                   "12345678e1234567" is infinity. It asks for dtype=False. The others keep them.
#   Infinity, NaN   pandas and duckdb read them, polars refuses the file.
# Hurts: runs of a simulator are compared by digest; with one failed run (null) in the table different results look equal.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q pandas==3.1.1 pyarrow==22.0.0 polars==2.1.0 duckdb==2.0.1
cat > read.py <<'PY'
import json, duckdb, pandas, polars

def write(name, values):
    with open(name, "w") as file:
        file.writelines(json.dumps({"run": run, "value": value}) + "\n" for run, value in enumerate(values))

write("whole", [2**63 + 9, 2**63 + 11])
write("null", [2**63 + 9, 2**63 + 11, None])
write("quoted", ["0e12345678901234", "1234567890123456", "12345678e1234567"])
write("infinite", [1.5, float("inf")])
readers = {
    "pandas": lambda name: list(pandas.read_json(name, lines=True)["value"]),
    "pandas pyarrow": lambda name: list(pandas.read_json(name, lines=True, engine="pyarrow")["value"]),
    "polars": lambda name: list(polars.read_ndjson(name)["value"]),
    "duckdb": lambda name: [row[0] for row in duckdb.sql(f"select value from read_json('{name}') order by run").fetchall()],
}
for tool, read in readers.items():
    differ = lambda name: "differ" if read(name)[0] != read(name)[1] else "equal"
    try:
        infinite = read("infinite")[1]
    except Exception as error:
        infinite = type(error).__name__
    print(f"{tool}: whole {differ('whole')}, with null {differ('null')}, quoted {type(read('quoted')[0]).__name__}, infinite {infinite}")
PY
v/bin/python -W ignore read.py | tee seen
diff - seen <<'SEEN'
pandas: whole differ, with null equal, quoted float, infinite inf
pandas pyarrow: whole equal, with null equal, quoted str, infinite inf
polars: whole differ, with null differ, quoted str, infinite ComputeError
duckdb: whole differ, with null differ, quoted str, infinite inf
SEEN
