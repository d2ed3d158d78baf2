// "Stop when…": the condition at which playing stops, as fields.
import { useLayoutEffect, useState } from "preact/hooks";
import { QUEUE_KEYS, queueTitle, type StopWhen } from "../stop-when.ts";

const KINDS: [StopWhen["kind"] | "", string][] = [
  ["", "never"],
  ["end", "a kernel finishes"],
  ["decision", "the policy decides"],
  ["full", "a queue is full"],
  ["slowdown", "a kernel slows down"],
];
const WINDOWS = 5,
  ABOVE = 2;

interface Fields {
  kind: StopWhen["kind"] | "";
  /** A kernel's number; empty: any. */
  kernel: string;
  queue: (typeof QUEUE_KEYS)[number];
  windows: number;
  above: number;
}

function conditionOf({ kind, kernel, queue, windows, above }: Fields): StopWhen | null {
  switch (kind) {
    case "end":
      return { kind, kernel: kernel === "" ? null : Number(kernel) };
    case "decision":
      return { kind };
    case "full":
      return { kind, queue, windows };
    case "slowdown":
      return { kind, kernel: Number(kernel), above };
    default:
      return null;
  }
}

/** `kernels`: of the present runs; the condition stays, as far as there is such a kernel. */
export function StopField({ kernels, changed }: { kernels: readonly string[]; changed(when: StopWhen | null): void }) {
  const [fields, setFields] = useState<Fields>({
    kind: "",
    kernel: "",
    queue: "miss_queue",
    windows: WINDOWS,
    above: ABOVE,
  });
  const set = (some: Partial<Fields>): void => {
    setFields({ ...fields, ...some });
  };
  const kernel = Number(fields.kernel) < kernels.length ? fields.kernel : "",
    slow = fields.kind === "slowdown";
  const when = conditionOf({ ...fields, kernel });
  const key = JSON.stringify(when);
  useLayoutEffect(() => {
    changed(when);
  }, [key]);
  return (
    <fieldset class="dk-field" aria-label="Stop when">
      <label for="f-stop-kind">Stop when</label>
      <select
        id="f-stop-kind"
        value={fields.kind}
        onChange={({ currentTarget }) => {
          set({ kind: currentTarget.value as Fields["kind"] });
        }}
      >
        {KINDS.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {(fields.kind === "end" || slow) && (
        <select
          id="f-stop-kernel"
          aria-label="Kernel"
          value={slow && kernel === "" ? "0" : kernel}
          onChange={({ currentTarget }) => {
            set({ kernel: currentTarget.value });
          }}
        >
          {/* Only one kernel can be slowed down; which one has to be said. */}
          {!slow && <option value="">any</option>}
          {kernels.map((name, i) => (
            <option key={i} value={String(i)}>
              {name}
            </option>
          ))}
        </select>
      )}
      {fields.kind === "full" && (
        <>
          <select
            id="f-stop-queue"
            aria-label="Queue"
            value={fields.queue}
            onChange={({ currentTarget }) => {
              set({ queue: currentTarget.value as Fields["queue"] });
            }}
          >
            {QUEUE_KEYS.map((one) => (
              <option key={one} value={one}>
                {queueTitle(one)}
              </option>
            ))}
          </select>
          for
          <Count
            id="f-stop-windows"
            label="Windows in a row"
            min={1}
            max={10_000}
            step={1}
            value={fields.windows}
            fallback={WINDOWS}
            set={(windows) => {
              set({ windows: Math.round(windows) });
            }}
          />
          windows
        </>
      )}
      {slow && (
        <>
          above
          <Count
            id="f-stop-above"
            label="Times slower than alone"
            min={0}
            max={1000}
            step={0.1}
            value={fields.above}
            fallback={ABOVE}
            set={(above) => {
              set({ above });
            }}
          />
          <span title="Times slower than alone, over the last 10,000 cycles">times, over 10,000 cycles</span>
        </>
      )}
    </fieldset>
  );
}

interface CountProps {
  id: string;
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  fallback: number;
  set(value: number): void;
}
/** A number; one that is none, or outside, goes back to what it was at first. */
function Count({ id, label, min, max, step, value, fallback, set }: CountProps) {
  return (
    <input
      id={id}
      type="number"
      aria-label={label}
      min={min}
      max={max}
      step={step}
      value={value}
      onChange={({ currentTarget }) => {
        const wanted = Number(currentTarget.value);
        const good = currentTarget.value !== "" && wanted >= min && wanted <= max;
        if (!good) currentTarget.value = String(fallback);
        set(good ? wanted : fallback);
      }}
    />
  );
}
