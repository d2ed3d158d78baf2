// Algorithm 1 with numbers of one's own: the engine's own function, which begins with the numbers of CCBP's Table 3.
import { errorText, problemText } from "../model/format.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton, KernelName, Rows, Scrolls } from "../parts/widgets.tsx";
import { titleOf } from "../model/titles.ts";
import { useSeen } from "./seen.ts";
import { less, more, most, pathOf, plain, put, read, type Question } from "./wanted.ts";
import { Shown } from "../decisions/table.tsx";
import type { AllocationForm, Problem, RecordField, ShownTable } from "../model/types.ts";

/** What is needed of the engine's module. */
export interface Allocator {
  form: AllocationForm;
  /** The turns, or what is wrong. */
  allocate(question: Question): ShownTable | readonly Problem[];
}

const label = ({ name, unit }: RecordField): string =>
  unit === "" || unit === name ? titleOf(name) : `${titleOf(name)}, ${unit}`;

function Input(props: {
  field: RecordField;
  value: unknown;
  /** Where a label has its name, or its name. */
  id?: string;
  name?: string;
  wrong: string | undefined;
  put(value: unknown): void;
}) {
  const { field, value, id, name, wrong, put: set } = props,
    at = { id, "aria-label": name, title: field.doc, "aria-invalid": wrong ? ("true" as const) : undefined };
  if (Array.isArray(field["choices"]))
    return (
      <select {...at} value={String(value)} onChange={(event) => set(event.currentTarget.value)}>
        {field["choices"].map((one) => (
          <option key={String(one)}>{String(one)}</option>
        ))}
      </select>
    );
  return (
    <input
      {...at}
      type="text"
      inputMode="decimal"
      value={String(value ?? "")}
      onInput={(event) => set(read(field, event.currentTarget.value))}
    />
  );
}

function Form({ by }: { by: Allocator }) {
  const { form, allocate } = by,
    [question, setQuestion] = useState(form.start);
  const found = allocate(question),
    problems = "rows" in found ? [] : found;
  const kept = useRef<ShownTable | null>(null);
  if ("rows" in found) kept.current = found;
  const wrong = (kernel: number | null, name: string): string | undefined =>
    problems.find(({ path }) => path === pathOf(kernel, name))?.want;
  const own = plain(form.question.fields),
    each = plain(form.kernel.fields);
  const names = question.kernels.map((_, k) => `K${k + 1}`);
  return (
    <>
      <div class="allocation-fields">
        {own.map((field) => (
          <div key={field.name}>
            <label for={`allocation-${field.name}`} title={field.doc}>
              {label(field)}
            </label>
            <Input
              id={`allocation-${field.name}`}
              field={field}
              value={question[field.name]}
              wrong={wrong(null, field.name)}
              put={(value) => setQuestion(put(question, null, field.name, value))}
            />
          </div>
        ))}
      </div>
      <Scrolls class="shown-scroll" label="The kernels">
        <Rows
          label="The kernels"
          class="allocation-kernels"
          head={[
            { title: "Kernel" },
            ...each.map((field) => ({ title: label(field), says: field.doc })),
            { title: <span class="hidden">Take it away</span> },
          ]}
          bodies={[
            {
              rows: question.kernels.map((kernel, k) => ({
                name: <KernelName kernel={k} name={names[k] ?? ""} />,
                cells: [
                  ...each.map((field) => (
                    <Input
                      key={field.name}
                      field={field}
                      value={kernel[field.name] ?? field.default}
                      name={`${label(field)} of ${names[k]}`}
                      wrong={wrong(k, field.name)}
                      put={(value) => setQuestion(put(question, k, field.name, value))}
                    />
                  )),
                  <IconButton
                    key="away"
                    icon="close"
                    label={`Take ${names[k]} away`}
                    disabled={question.kernels.length < 2}
                    press={() => setQuestion(less(question, k))}
                  />,
                ],
              })),
            },
          ]}
        />
      </Scrolls>
      <div class="flow allocation-deeds">
        <Button disabled={question.kernels.length >= most(form)} press={() => setQuestion(more(question))}>
          One kernel more
        </Button>
        <Button press={() => setQuestion(form.start)}>Table 3 again</Button>
      </div>
      <p role="status" class="allocation-said">
        {problems.map(problemText).join("; ")}
      </p>
      {kept.current && <Shown table={kept.current} kernels={names} />}
    </>
  );
}

export function Algorithm({ start }: { start(): Promise<Allocator> }) {
  const [by, setBy] = useState<Allocator | null>(null),
    [failed, setFailed] = useState(""),
    [seen, place] = useSeen();
  useEffect(() => {
    if (seen) start().then(setBy, (error: unknown) => setFailed(errorText(error)));
  }, [seen]);
  return (
    <section aria-labelledby="algorithm-1" class="allocation" ref={place}>
      <h2 id="algorithm-1">Algorithm 1 with your own numbers</h2>
      <p>
        CCBP hands out CTAs and bandwidth together. In each turn the kernel with the least dominant share asks for one
        unit more. The numbers to begin with are those of the paper's Table 3. The turns are worked out by the function
        that runs in the simulator.
      </p>
      {by ? <Form by={by} /> : <p>{failed === "" ? "It is fetched…" : `This could not run here: ${failed}`}</p>}
    </section>
  );
}
