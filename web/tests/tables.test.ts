// Tables that the engine shows of a scheme, and the question to Algorithm 1 in Learn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AllocationForm, RecordField, ShownTable } from "../src/model/types.ts";
import { less, more, most, pathOf, plain, put, read } from "../src/learn/wanted.ts";
import { begins, groups, meanings } from "../src/decisions/tables.ts";
import { cellText } from "../src/picture/parts.tsx";

const column = (title: string, kernel: number | null, unit = "") => ({ title, unit, doc: `What ${title} is`, kernel });
const TABLE: ShownTable = {
  key: "miss_queues",
  title: "Miss queues",
  doc: "",
  row: "SM",
  course: "noc_demand_bytes",
  columns: [
    column("Class", null),
    ...[0, 1].flatMap((kernel) => [column("Waiting", kernel, "requests"), column("Credits", kernel)]),
  ],
  rows: [],
};

test("columns of one kernel stand together, and each is explained once", () => {
  assert.deepEqual(groups(TABLE), [
    { kernel: null, columns: 1 },
    { kernel: 0, columns: 2 },
    { kernel: 1, columns: 2 },
  ]);
  assert.deepEqual([...begins(TABLE)], [1, 3]);
  assert.deepEqual(
    meanings(TABLE).map(({ title }) => title),
    ["Class", "Waiting (requests)", "Credits"],
  );
});

test("cells are whole numbers, figures, words, or a dash for nothing", () => {
  assert.deepEqual([12_345, 2.5, 1 / 3, "registers", null, 0, -40].map(cellText), [
    "12,345",
    "2.50",
    "0.333",
    "registers",
    "–",
    "0",
    "-40",
  ]);
});

test("a question is edited by value and by kernel, and what is no number is left for the engine to refuse", () => {
  const field = (name: string, kind: string, rest: object = {}): RecordField => ({
    name,
    unit: "",
    doc: "",
    required: true,
    default: null,
    kind,
    ...rest,
  });
  const form: AllocationForm = {
    question: { name: "", doc: "", rules: [], fields: [field("units", "int"), field("kernels", "list", { max: 8 })] },
    kernel: { name: "", doc: "", rules: [], fields: [field("kind", "choice"), field("noc", "number")] },
    start: { units: 10, kernels: [{ kind: "NoC-intensive", noc: 3 }] },
  };
  assert.equal(most(form), 8);
  assert.deepEqual(
    plain(form.question.fields).map(({ name }) => name),
    ["units"],
  );
  const [kind, noc] = form.kernel.fields as [RecordField, RecordField];
  assert.deepEqual([read(noc, "2.5"), read(noc, "two"), read(noc, ""), read(kind, "7")], [2.5, "two", "", "7"]);
  const two = put(more(form.start), 1, "noc", 4);
  assert.deepEqual(two.kernels, [
    { kind: "NoC-intensive", noc: 3 },
    { kind: "NoC-intensive", noc: 4 },
  ]);
  assert.deepEqual(less(two, 0).kernels, [{ kind: "NoC-intensive", noc: 4 }]);
  assert.equal(put(two, null, "units", 20)["units"], 20);
  assert.deepEqual([pathOf(null, "units"), pathOf(1, "noc")], ["units", "kernels[1].noc"]);
});
