// What the place Papers shows of each paper, against the files that it is made of.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { parse } from "smol-toml";
import { Papers, cited, figuresNamed } from "../build/papers.ts";
import { pointText } from "../src/embed/figure-document.ts";
import type { Figure } from "../src/model/types.ts";
import { keptText, VERDICTS, withGains, withUnit, type Claim } from "../src/papers/paper.ts";

// The tests are compiled into test-results/unit/tests and run in web/.
const root = new URL(`file://${process.cwd()}/../`);
const papers = new Papers(root);
const cards = papers.chosen.map((one) => papers.card(one));

test("the mark of how a claim came out says nothing else in the report", () => {
  const report = readFileSync(new URL("docs/reports/ccbp/report.md", root), "utf8"),
    relations = /^`≈`.*$/m.exec(report)?.[0] ?? "";
  assert.match(relations, /`≈`: within 5 %/);
  for (const mark of Object.values(VERDICTS)) assert.ok(!relations.includes(`\`${mark}\``), mark);
});

test("six papers, each with what it claims and how that came out", () => {
  assert.deepEqual(
    cards.map((card) => card.paper),
    ["ccbp", "qos", "hetero", "ikra", "latency", "interference"],
  );
  for (const card of cards) {
    const report = readFileSync(new URL(`docs/reports/${card.paper}/report.md`, root), "utf8");
    const { directions, magnitudes } = card.totals;
    // The report says the same in a sentence.
    assert.match(
      report,
      new RegExp(`directions that can be tested\\. Here ${directions.kept} of ${directions.tested},`),
    );
    assert.match(
      report,
      new RegExp(`magnitudes that can be tested\\. Here ${magnitudes.kept} of ${magnitudes.tested},`),
    );
    assert.ok(report.includes(`${card.authors}. ${card.venue}. ${card.doi}`));
    assert.equal(card.headline.length, 3);
    for (const claim of card.headline)
      assert.match(claim.verdict, /^(reproduced|direction only|not reproduced|not testable)$/);
    assert.ok(card.setting.schemes.every((title) => typeof title === "string" && title !== ""));
    assert.ok(card.setting.classes.every(({ kernels }) => kernels.length > 0));
  }
});

test("the setting is a mix of the paper, under its baseline and under its own scheme", () => {
  for (const { setting, open, paper } of cards) {
    assert.ok(open.length >= 1, paper);
    const [before, after = before] = open;
    assert.deepEqual(after?.kernels, before?.kernels, paper);
    for (const kernel of before?.kernels ?? []) {
      const name = typeof kernel === "string" ? kernel : (kernel as { kernel: string }).kernel;
      assert.ok(name.startsWith(setting.prefix), name);
    }
  }
});

test("what a card says is not here has a reason of one sentence", () => {
  for (const { paper, lacks } of cards.filter(({ lacks }) => lacks.length > 0))
    for (const [what, why] of lacks) {
      assert.match(why, /^[^.!?]+(\.\d[^.!?]*)*\.$/, `${paper}: ${what}`);
      assert.ok(why.split(" ").length <= 35, `${paper}: ${what}`);
    }
});

test("claims stand with the figures that they name, and with those whose points they measure", () => {
  assert.deepEqual(figuresNamed("4.2.4, Fig.6, and Fig. 11(d)"), ["fig6", "fig11d"]);
  const ccbp = papers.claimsByFigure("ccbp");
  const ids = (figure: string): string[] => (ccbp[figure]?.claims ?? []).map((claim) => claim.id);
  assert.ok(ids("fig9a").includes("abs-hs-vs-smk"));
  assert.ok(ids("fig9b").includes("s71-ws-vs-smk"));
  assert.ok(!ids("fig9b").includes("abs-hs-vs-smk"));
  assert.ok(ids("fig11d").includes("s72-rawlong-alone"));
  const qos = papers.claimsByFigure("qos");
  assert.deepEqual(
    (qos["fig14"]?.claims ?? []).map((claim) => claim.id),
    ["power-avg"],
  );
  const found = { hetero: papers.claimsByFigure("hetero"), ikra: papers.claimsByFigure("ikra") };
  const has = (paper: keyof typeof found, figure: string, claim: string): void =>
    assert.ok(
      found[paper][figure]?.claims.some(({ id }) => id === claim),
      `${figure} ${claim}`,
    );
  has("hetero", "fig9", "single-sc");
  has("hetero", "fig7b", "het-stp-avg");
  // Of each mix a point; two bars over one baseline; all of a stack, and a part of it; a point that changes the machine.
  has("hetero", "four", "four-antt-avg");
  has("hetero", "fig10", "het4b12s-antt");
  has("ikra", "fig5c", "reg-net-s-c-avg");
  has("ikra", "fig5d", "reg-mem-s-reduce");
  has("ikra", "fig7-dj2", "cs-dj2-32k");
});

test("every claim of a card and of a figure says why it came out so", () => {
  const claims = [
    ...cards.flatMap(({ headline }) => headline),
    ...cards.flatMap(({ paper }) => Object.values(papers.claimsByFigure(paper)).flatMap((of) => of.claims)),
  ];
  const why = (id: string): string | undefined => claims.find((claim) => claim.id === id)?.why;
  assert.match(why("abs-hs-vs-smk") ?? "", /^LS\+NBI 0\.\d+ over .*: CCBP gains less beside DRAM-intensive kernels\.$/);
  assert.match(why("s74-3k-hs") ?? "", /The gain over WS grows with kernels.*\. Not tested\.$/);
  assert.match(why("intro-hs-vs-ws-mi") ?? "", /MIL locks in.*\. Its reason does not hold: /);
  for (const { id, verdict, why: text } of claims) {
    if (verdict !== "not testable") assert.match(text, /\.$/, id);
    assert.doesNotMatch(text, /see \d|`|\*\*|<br>/, id);
  }
});

test("a gain that the paper prints over a bar puts a mark beside it, from the other bar's value here", () => {
  const { figures } = JSON.parse(readFileSync("public/papers/ccbp.json", "utf8")) as { figures: Figure[] };
  const gains = papers.claimsByFigure("ccbp")["fig9a"]?.gains ?? [],
    fig9a = figures.find(({ id }) => id === "fig9a") as Figure,
    drawn = withGains(fig9a, gains);
  const at = (series: string, place: string) =>
    drawn.points.find((p) => drawn.series[p.series] === series && drawn.categories?.[p.x] === place);
  const ccbp = at("CCBP_DRF+adj", "ALL")?.value as number;
  assert.equal(at("SMK", "ALL")?.paper, ccbp / 1.78);
  assert.equal(at("WS", "ALL")?.paper, ccbp / 1.39);
  assert.equal(at("CTA oracle", "LS+BI")?.paper, (at("CCBP_DRF+adj", "LS+BI")?.value as number) / 1.11);
  // What is implied by two printed gains is not printed.
  assert.equal(drawn.points.filter((p) => p.paper !== undefined).length, 5);
  const [first] = gains;
  assert.ok(first);
  assert.match(
    pointText(drawn, first.over, first.times),
    /^SMK, ALL: 0\.\d+; by the 1\.78 × that the paper prints over it 0\.\d+$/,
  );
});

test("authors end before the venue", () => {
  assert.deepEqual(cited("A. B. Lovelace, C. Babbage. Notes 3(1), 1843. https://doi.org/10.1/x"), {
    authors: "A. B. Lovelace, C. Babbage",
    venue: "Notes 3(1), 1843",
    doi: "https://doi.org/10.1/x",
  });
  assert.throws(() => cited("nobody"), /not authors/);
});

test("values in words", () => {
  const claim = (paper: string, here: string): Claim => ({
    id: "",
    says: "",
    section: "",
    over: "",
    paper,
    here,
    verdict: "reproduced",
    why: "",
  });
  assert.equal(withUnit(claim("43.8 %", "-16.22")), "-16.22 %");
  assert.equal(withUnit(claim("1.78", "1.355")), "1.355");
  assert.equal(withUnit(claim("135 of 420", "173")), "173");
  assert.equal(withUnit(claim("27 %", "–")), "–");
  assert.equal(keptText({ kept: 44, partly: 0, failed: 13, tested: 57 }, "directions"), "44 of 57 directions");
});

test("where a figure names a claim for a point, the point has what the paper prints", () => {
  interface Claimed {
    id: string;
    kind: string;
    unit: string;
    value: number;
    measure: { as?: string };
  }
  for (const { paper } of cards) {
    const toml = (file: string): unknown => parse(readFileSync(new URL(`papers/${paper}/${file}`, root), "utf8"));
    const { claim: claims } = toml("claims.toml") as { claim: Claimed[] };
    const { figure: plans } = toml("figures.toml") as {
      figure: { id: string; series: { paper?: Record<string, string> | string[] }[] }[];
    };
    const { figures } = JSON.parse(readFileSync(`public/papers/${paper}.json`, "utf8")) as {
      figures: { id: string; categories?: string[]; points: { series: number; x: number; paper?: number }[] }[];
    };
    for (const { id, series } of plans)
      for (const [place, { paper: names = [] }] of series.entries())
        for (const [at, name] of Object.entries(names)) {
          const claim = claims.find((one) => one.id === name && one.kind === "magnitude");
          if (!claim) continue;
          const part = claim.unit === "percent" ? claim.value / 100 : claim.value;
          const as = claim.measure.as;
          const printed = as === "percent_gained" ? 1 + part : as === "percent_lost" ? 1 - part : part;
          const { categories = [], points = [] } = figures.find((one) => one.id === id) ?? {};
          const mine = points.filter((p) => p.series === place);
          const x = Array.isArray(names) ? Number(at) : categories.indexOf(at);
          // Series without categories are in the order of their values.
          const ends = { least: mine[0], greatest: mine.at(-1) };
          const point = categories.length > 0 ? mine.find((p) => p.x === x) : ends[at as keyof typeof ends];
          assert.equal(point?.paper, printed, `${paper} ${id} ${name}`);
        }
  }
});
