// How many CTAs a kernel may hold, as the form edits it: on every SM, or by class.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limitedClasses, limitOf, limitOn, withClassLimit } from "../src/model/limits.ts";

test("a limit by class is shown for each class that it may hold for, and none is lost by opening a file", () => {
  assert.deepEqual(["BP", { kernel: "BP", ctas_per_sm: 4 }, { kernel: "BP", ctas_per_sm: { small: 1 } }].map(limitOf), [
    null,
    4,
    { small: 1 },
  ]);
  assert.deepEqual(
    [null, 4, { small: 1 }].map((limit) => limitedClasses(limit, ["sm"])),
    [[], [], ["small"]],
  );
  assert.deepEqual(limitedClasses({ small: 1, uniform: 5 }, ["big", "small"]), ["big", "small", "uniform"]);
  assert.deepEqual(
    [limitOn({ small: 1 }, "small"), limitOn({ small: 1 }, "big"), limitOn(4, "small"), limitOn(null, "small")],
    [1, null, null, null],
  );
});

test("limits of classes are given one by one, in place of one for every SM, and taken away without a trace", () => {
  const small = withClassLimit("SYR2K", "small", 1),
    both = withClassLimit(small, "big", 9);
  assert.deepEqual(
    [small, both],
    [
      { kernel: "SYR2K", ctas_per_sm: { small: 1 } },
      { kernel: "SYR2K", ctas_per_sm: { small: 1, big: 9 } },
    ],
  );
  assert.equal(withClassLimit(withClassLimit(both, "big", null), "small", null), "SYR2K");
  assert.deepEqual(withClassLimit({ kernel: "SYR2K", ctas_per_sm: 4, qos: 0.8 }, "small", 1), {
    kernel: "SYR2K",
    qos: 0.8,
    ctas_per_sm: { small: 1 },
  });
  assert.deepEqual(withClassLimit({ kernel: "SYR2K", ctas_per_sm: 4 }, "small", null), "SYR2K");
});

test("a class may be called what every object has", () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    assert.equal(limitOn({ small: 1 }, name), null, name);
    const limited = withClassLimit("BP", name, 3);
    assert.equal(JSON.stringify(limited), `{"kernel":"BP","ctas_per_sm":{"${name}":3}}`);
    assert.equal(limitOn(limitOf(limited), name), 3);
    assert.equal(withClassLimit(limited, name, null), "BP");
  }
});
