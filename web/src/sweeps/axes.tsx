// What a sweep varies, as a form in words: fields by their titles, values with commas. What is chosen is written into the sweep's text.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Select, Text } from "../parts/controls.tsx";
import { Button, IconButton } from "../parts/widgets.tsx";
import { pathTitle } from "../model/titles.ts";
import { axesOf, readValues, valuesText, withAxes, type Axis } from "./vary.ts";

/** Fields that are offered; the text can have any. */
const OFFERED = [
  "policy",
  "kernels",
  "gpu",
  "seed",
  "warp_order",
  "stop.cycles",
  "kernels[0].ctas_per_sm",
  "kernels[1].ctas_per_sm",
  "gpu.sm.count",
  "gpu.noc.mhz",
  "gpu.dram.mhz",
  "gpu.l2.banks",
  "gpu.sm.l1.bytes",
  "gpu.sm.l1.mshrs",
];

const replaced = <T,>(list: readonly T[], at: number, by: T): T[] => list.map((one, i) => (i === at ? by : one));

interface Props {
  text: string;
  inert: boolean;
  /** The text with other axes. */
  change(text: string): void;
  /** Values to begin with, of a field of this sweep. */
  suggest(path: string): Promise<unknown[]>;
}

export function Axes({ text, inert, change, suggest }: Props) {
  const axes = axesOf(text),
    now = useRef(text),
    focus = useRef("");
  now.current = text;
  useLayoutEffect(() => {
    if (focus.current !== "") document.getElementById(focus.current)?.focus();
    focus.current = "";
  }, [text]);
  if (!axes) return null;
  const put = (next: readonly (typeof axes)[number][]): void => change(withAxes(text, next));
  const field = (axis: Axis, n: string, set: (axis: Axis) => void) => [
    <Select
      key={`${n} field`}
      at={{ id: `f-field-${n}`, "aria-label": `Field ${n}`, title: axis.path }}
      options={[...new Set([axis.path, ...OFFERED])].map((path) => ({ value: path, text: pathTitle(path) || path }))}
      value={axis.path}
      put={(path) =>
        void suggest(path).then((values) => {
          if (now.current === text) set({ path, values });
        })
      }
    />,
    <Text
      key={`${n} values`}
      at={{ "aria-label": `Values of field ${n}, with commas` }}
      value={valuesText(axis.values)}
      put={(typed) => set({ ...axis, values: readValues(typed) })}
    />,
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own.
    <div class="sweep-axes" role="group" aria-label="What is varied" inert={inert}>
      {axes.map((axis, i) => {
        const set = (to: (typeof axes)[number]): void => put(replaced(axes, i, to));
        return (
          <div key={i} class="sweep-axis">
            {"zip" in axis
              ? axis.zip.map((part, j) =>
                  field(part, `${i + 1}.${j + 1}`, (to) => set({ zip: replaced(axis.zip, j, to) })),
                )
              : field(axis, String(i + 1), set)}
            <IconButton
              icon="close"
              class="small"
              label={`Do not vary field ${i + 1}`}
              title="Do not vary it"
              disabled={axes.length === 1}
              press={() => {
                focus.current = "f-vary";
                put(axes.filter((_, j) => j !== i));
              }}
            />
          </div>
        );
      })}
      <Button
        icon="plus"
        id="f-vary"
        press={() => {
          focus.current = `f-field-${axes.length + 1}`;
          put([...axes, { path: "seed", values: [1, 2, 3] }]);
        }}
      >
        Vary something else too
      </Button>
    </div>
  );
}
