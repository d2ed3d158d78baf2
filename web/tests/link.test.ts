import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { LinkError, asExperiment, decodeLink, encodeLink, otherEngine, type LinkState } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";

const plain: Experiment = { corun: 1, gpu: "ccbp-16sm", kernels: ["BP", "CFD"], policy: { name: "even" }, seed: 1 };
const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

test("presets have a readable link", async () => {
  assert.equal(await encodeLink({ experiment: plain, view: {} }), "#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1");
});

test("a GPU's short name in a link or a file is its whole name from there on", async () => {
  const linked = await decodeLink("#v=1&gpu=h100&mix=BP+CFD&policy=even");
  assert.equal(linked?.experiment.gpu, "h100-sxm5");
  const read = asExperiment({ corun: 1, gpu: { preset: "a100", "sm.count": 8 }, alone_gpu: "h200", kernels: ["BP"] });
  assert.deepEqual(read.gpu, { preset: "a100-40gb", "sm.count": 8 });
  assert.equal((read as { alone_gpu?: unknown }).alone_gpu, "h200-sxm");
  // What every object has is no GPU.
  assert.equal(asExperiment({ corun: 1, gpu: "constructor", kernels: ["BP"] }).gpu, "constructor");
});

test("what is encoded is what is decoded", async () => {
  const experiments: Experiment[] = [
    plain,
    {
      corun: 1,
      gpu: "tiny-2sm",
      kernels: ["hetero/HISTO", { kernel: "CFD", ctas_per_sm: 4 }, "BP"],
      policy: { name: "ws+bmi" },
      warp_order: "gto",
      cta_order: "chunk",
      seed: 9007199254740991,
    },
    { corun: 1, gpu: "ccbp-16sm", kernels: ["BP"] },
    {
      corun: 1,
      gpu: { preset: "ccbp-16sm", "sm.count": 8 },
      kernels: ["BP", "CFD"],
      policy: { name: "fixed", combination: [3, 2] },
      seed: 2,
      stop: { cycles: 1000 },
    },
    {
      corun: 1,
      gpu: "ccbp-16sm",
      kernels: [{ name: "mine – é 😀", threads: 64, program: [{ op: "alu", n: 3 }] }],
      warp_order: { two_level: 8 },
      seed: 0,
    },
    { corun: 1, gpu: "odd name & more", kernels: ["a b", "c+d"], policy: { name: "a=b" }, seed: -1 },
    { corun: 1, gpu: "ccbp-16sm", kernels: [], policy: "even" },
    { corun: 1, gpu: "ccbp-16sm", kernels: ["BP"], seed: 1.5 },
  ];
  const views = [
    {},
    { cycle: 12345 },
    { sm: 0, zoom: { from: 0, to: 400 }, panel: "ipc.1", lanes: "ipc,stalls.0", tab: "numbers" },
    { cycle: 220_000, from: 150_000 },
  ];
  for (const experiment of experiments) {
    for (const view of views) {
      const state: LinkState = { experiment, view };
      const link = await encodeLink(state);
      assert.deepEqual(await decodeLink(link), state, link);
      assert.equal(await encodeLink((await decodeLink(link)) as LinkState), link);
      assert.match(link, /^#[A-Za-z0-9=&:+/_.,%-]*$/);
    }
  }
});

test("a link holds two experiments: the second has the parts that differ", async () => {
  const other: Experiment = { ...plain, policy: { name: "ccbp" } };
  assert.equal(
    await encodeLink({ experiment: plain, other, view: { cycle: 9 } }),
    "#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1&b.policy=ccbp&c=9",
  );
  const experiments: Experiment[] = [
    plain,
    other,
    { ...plain, gpu: "tiny-2sm", kernels: ["BP", { kernel: "SAD", ctas_per_sm: 2 }], seed: 7 },
    { ...plain, warp_order: "gto" },
    { corun: 1, gpu: "ccbp-16sm", kernels: ["BP"] },
    { ...plain, gpu: { preset: "ccbp-16sm", "sm.count": 8 } },
    { ...plain, policy: { name: "fixed", combination: [3, 2] } },
    { ...plain, cta_order: "steal" },
    { ...plain, cta_order: { name: "steal", wrap: true, latency: 20 } },
  ];
  for (const experiment of experiments) {
    for (const second of experiments) {
      const state: LinkState = { experiment, other: second, view: {} },
        link = await encodeLink(state);
      assert.deepEqual(await decodeLink(link), state, link);
    }
  }
  // What a person types: only what is different.
  assert.deepEqual((await decodeLink("#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1&b.mix=BP+SAD"))?.other, {
    ...plain,
    kernels: ["BP", "SAD"],
  });
  for (const bad of ["&b.z=AAAA", "&b.nonsense=1", "&b.seed=x", "&b.c=5"])
    await assert.rejects(decodeLink(`#v=1&gpu=ccbp-16sm&mix=BP${bad}`), LinkError, bad);
});

test("a link names the engine that made it, and another engine says so", async () => {
  const link = await encodeLink({ experiment: plain, view: { cycle: 5 }, engine: "0.1.0-0123abcd" });
  assert.equal(link, "#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1&c=5&e=0.1.0-0123abcd");
  const opened = (await decodeLink(link)) as LinkState;
  assert.deepEqual(opened, { experiment: plain, view: { cycle: 5 }, engine: "0.1.0-0123abcd" });
  assert.equal(otherEngine(opened, "0.1.0-0123abcd"), null);
  assert.equal(otherEngine(opened, "0.2.0-0123abcd"), null, "a later version of equal behaviour");
  assert.match(
    otherEngine(opened, "0.1.0-4567cdef") ?? "",
    /made with engine 0\.1\.0-0123abcd; this is 0\.1\.0-4567cdef:/,
  );
  assert.equal(otherEngine({ experiment: plain, view: {} }, "0.1.0-4567cdef"), null, "one that names none");
  await assert.rejects(decodeLink("#v=1&gpu=a&mix=BP&e=%3Cscript%3E"), LinkError);
});

/** Links as every version of this page has written them: each must open for ever. */
test("what a person types opens", async () => {
  const experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["BP", { kernel: "CFD", ctas_per_sm: 4 }],
    policy: { name: "ws+bmi" },
    warp_order: "gto",
    cta_order: "round-robin",
    seed: 7,
  };
  const old: [string, LinkState][] = [
    ["#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1", { experiment: plain, view: {} }],
    [
      "#v=1&gpu=tiny-2sm&mix=BP+CFD:4&policy=ws%2Bbmi&order=gto&cta=round-robin&seed=7&c=1200&sm=1&zoom=400-800&panel=noc",
      {
        experiment: experiment as Experiment,
        view: { cycle: 1200, sm: 1, zoom: { from: 400, to: 800 }, panel: "noc" },
      },
    ],
    [
      "#v=1&z=BcE7CoAwEEDBu7w6CtFuS09gL1a6iGg-ZJNCxLs787Kl0iLiHUduyEsualoR6hmfbrCAw0K_pRYr4j_HpSXqbcjCNLM6THVHxu8H",
      { experiment: { corun: 1, gpu: { preset: "tiny-2sm", "sm.count": 1 }, kernels: ["BP"], seed: 3 }, view: {} },
    ],
    ["#v=1&gpu=ccbp-16sm&mix=BP%20CFD&policy=even&seed=1", { experiment: plain, view: {} }],
  ];
  for (const [link, state] of old) assert.deepEqual(await decodeLink(link), state, link);
});

test("random experiments survive the packed form", async () => {
  let seed = 12345;
  const draw = (n: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  const value = (depth: number): unknown => {
    switch (draw(depth > 4 ? 4 : 6)) {
      case 0:
        return draw(1e6);
      case 1:
        return draw(2) === 1;
      case 2:
        return null;
      case 3:
        return String.fromCodePoint(...Array.from({ length: draw(8) }, () => 32 + draw(0x2000)));
      case 4:
        return Array.from({ length: draw(5) }, () => value(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: draw(5) }, (_, i) => [`k${i}`, value(depth + 1)]));
    }
  };
  for (let i = 0; i < 200; i += 1) {
    const experiment = { corun: 1, gpu: "x", kernels: [{ v: value(0) }], extra: value(0) } as unknown as Experiment;
    const state = { experiment, view: {} };
    assert.deepEqual(await decodeLink(await encodeLink(state)), state);
  }
});

test("an empty hash is no link", async () => {
  assert.equal(await decodeLink(""), null);
  assert.equal(await decodeLink("#"), null);
});

test("a damaged or hostile link is refused in words, whatever it is", async () => {
  const packed = (text: string): string => `#v=1&z=${b64(deflateRawSync(Buffer.from(text)))}`;
  const good = await encodeLink({ experiment: { ...plain, name: "long enough to be cut in the middle" }, view: {} });
  const bomb = `#v=1&z=${b64(deflateRawSync(Buffer.alloc(60_000_000, 32), { level: 9 }))}`;
  assert.ok(bomb.length < 100_000, "the bomb must get past the limit of the hash itself");
  const bad = [
    "#nonsense",
    "#v=2&gpu=a&mix=b",
    "#v=1",
    "#gpu=ccbp-16sm&mix=BP",
    "#v=1&gpu=ccbp-16sm",
    "#v=1&mix=BP",
    "#v=1&gpu=a&mix=BP&gpu=b",
    "#v=1&gpu=a&mix=BP&what=1",
    "#v=1&gpu=a&mix=BP&seed=x",
    "#v=1&gpu=a&mix=BP&seed=1e3",
    "#v=1&gpu=a&mix=BP&seed=-1",
    "#v=1&gpu=a&mix=BP&seed=99999999999999999",
    "#v=1&gpu=a&mix=BP&c=1.5",
    "#v=1&gpu=a&mix=BP&zoom=5",
    "#v=1&gpu=a&mix=BP&zoom=9-3",
    "#v=1&gpu=a&mix=BP&panel=%3Cscript%3E",
    "#v=1&gpu=a&mix=BP&panel=noc,ipc",
    "#v=1&gpu=a&mix=BP&lanes=noc,,ipc",
    "#v=1&gpu=a&mix=BP&from=10",
    "#v=1&gpu=a&mix=BP&c=10&from=10",
    "#v=1&gpu=a&mix=<img>",
    "#v=1&gpu=a&mix=BP:x",
    "#v=1&gpu=a&mix=BP:1:2",
    "#v=1&gpu=a&mix=BP&policy=%E0%A4%A",
    "#v=1&z=",
    "#v=1&z=****",
    "#v=1&z=AAAA",
    `${good.slice(0, 40)}`,
    "#v=1&z=AA&gpu=a",
    "#v=1&gpu=a&mix=BP&m.5=x",
    packed("not json"),
    packed("[]"),
    packed("null"),
    packed("3"),
    packed("{}"),
    packed('{"kernels":3,"gpu":"a"}'),
    packed('{"kernels":[3],"gpu":"a"}'),
    packed('{"kernels":[],"gpu":[]}'),
    packed('{"kernels":[],"gpu":"a","policy":7}'),
    packed(`{"gpu":"a","kernels":[${'"BP",'.repeat(999)}"BP"]}`),
    packed(`{"gpu":"a","kernels":[],"x":${"[".repeat(5000)}${"]".repeat(5000)}}`),
    packed("[".repeat(900_000)),
    `#v=1&gpu=a&mix=${"BP+".repeat(500)}BP`,
    `#${"x".repeat(200_000)}`,
    bomb,
    `#v=1&z=${b64(new Uint8Array(5000).map((_, i) => (i * 7919) % 256))}`,
  ];
  for (const hash of bad) {
    await assert.rejects(
      decodeLink(hash),
      (error: unknown) => error instanceof LinkError && error.message.length > 10,
      hash.slice(0, 80),
    );
  }
});

test("policies that act in turn travel packed; a list of anything else is refused", async () => {
  const experiment: Experiment = { corun: 1, gpu: "tiny-2sm", kernels: ["BP"], policy: ["ws", { name: "ucp" }] };
  const link = await encodeLink({ experiment, view: {} });
  assert.match(link, /^#v=1&z=/);
  assert.deepEqual((await decodeLink(link))?.experiment, experiment);
  for (const policy of [["ws", null], [["ws"]], 5])
    assert.throws(() => asExperiment({ ...experiment, policy }), /neither a name, an object, nor a list of these/);
});

test("a short link with half a million numbers is refused, and one of two kernels of 16,384 launches is not", async () => {
  const of = (more: object): Promise<string> =>
    encodeLink({ experiment: { corun: 1, gpu: "h100-sxm5", kernels: ["BP"], ...more } as Experiment, view: {} });
  const many = await of({ unknown: Array.from({ length: 490_001 }, () => 0) });
  assert.ok(many.length < 2_000);
  await assert.rejects(decodeLink(many), /more than 200,000 values/);
  const launches = Array.from({ length: 16_384 }, () => ({ ctas: 1, threads: 32 })),
    kernel = { name: "k", arrays: [], launches };
  const long = await of({ kernels: [kernel, { ...kernel, name: "l" }] });
  assert.equal((await decodeLink(long))?.experiment.kernels?.length, 2);
});
