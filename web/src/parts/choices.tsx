// The row of choices, which reads as a sentence: [BP] beside [CFD] on [16 SMs], A [even split], B [CCBP].
import type { ComponentChildren } from "preact";
import {
  kernelEntry,
  kernelLabels,
  kernelName,
  ownBody,
  policyEntry,
  schemeName,
  schemeText,
} from "../model/choices.ts";
import { mostOf } from "../model/shape.ts";
import type { Catalogue, Experiment, KernelBody } from "../model/types.ts";
import {
  NONE,
  gpuChoices,
  gpuOf,
  gpuText,
  isVendors,
  kernelChoices,
  schemeChoices,
  vendorChoices,
  type Choice,
} from "../model/choice.ts";
import { rowOf, rowText } from "../model/row.ts";
import { Menu, type Beyond } from "./menu.tsx";
import { Swatch } from "./widgets.tsx";
import { forget, recordedChoices, recordedKernel, recordedValue, recordingOf } from "./recorded.tsx";

/** What is chosen in the row. */
export interface Chosen {
  kernel(at: number, body: string | KernelBody): void;
  remove(at: number): void;
  add(body: string | KernelBody): void;
  gpu(name: string): void;
  /** A (0) or B (1); B may be `NONE`. */
  scheme(side: number, name: string): void;
  /** All of it at once: A, and B where there is one. */
  whole(experiments: Experiment[]): void;
  /** A kernel of one's own, written in place of one. */
  own?(at: number): void;
}

const REMOVE = "—",
  ADD = "+",
  FORGET = "×",
  OWN = "{";

export function Choices(props: {
  /** Null until the simulator is there: then the row says what was asked for, and nothing can be chosen yet. */
  catalogue: Catalogue | null;
  /** A, and B where there is one. */
  experiments: readonly Experiment[];
  onChoose: Chosen;
  /** Whether A and B are chosen too. */
  sides?: boolean;
  /** Behind B. */
  children?: ComponentChildren;
}) {
  const { catalogue, experiments, onChoose, sides = true, children } = props;
  const [first] = experiments;
  if (!first) return null;
  const labels = kernelLabels(first.kernels);
  const addable = catalogue !== null && first.kernels.length < mostOf(catalogue, "kernels");
  const last = first.kernels.length - 1;
  // The last kernel's menu also adds and removes: the row stays short.
  const more = (at: number): Choice[] => [
    ...(at === last && addable ? [{ value: ADD, title: "One more kernel" }] : []),
    ...(last > 0 ? [{ value: REMOVE, title: `Without ${labels[at] ?? ""}` }] : []),
    ...(onChoose.own ? [{ value: OWN, title: "One of your own", note: "pasted or written, as JSON" }] : []),
    ...(recordingOf(first.kernels[at] ?? "")
      ? [{ value: FORGET, title: `Forget the recording of ${labels[at] ?? ""}`, note: "only this browser keeps it" }]
      : []),
  ];
  const chosen = (at: number, value: string): void => {
    const kernel = first.kernels[at] ?? "",
      recording = recordingOf(kernel);
    if (value === REMOVE) onChoose.remove(at);
    else if (value === OWN) onChoose.own?.(at);
    else if (value === ADD) onChoose.add(ownBody(kernel) ?? kernelName(kernel));
    else if (value === FORGET && recording) {
      onChoose.kernel(at, catalogue?.kernels[0]?.name ?? "");
      void forget(recording.hash);
    } else onChoose.kernel(at, recordedKernel(value) ?? value);
  };
  /** Whatever a menu lists, what is typed there may say the whole row. */
  const beyond =
    (side: number) =>
    (sought: string, none: boolean): Beyond | string | null => {
      const row = catalogue && rowOf(catalogue, experiments, sought, side);
      if (typeof row === "string") return `Nothing is called “${row}”.`;
      if (!catalogue || !row || row.things < (none ? 1 : 2)) return null;
      const title = rowText(row.experiments, catalogue, sides);
      return { value: sought, title, run: () => onChoose.whole(row.experiments) };
    };
  return (
    <fieldset class="choices" aria-label="What runs">
      {first.kernels.map((kernel, at) => (
        <>
          {at > 0 && <span>beside</span>}
          <Menu
            key={`kernel ${at}`}
            id={`choose-kernel-${at}`}
            label={`Kernel ${at + 1}`}
            value={
              recordedValue(kernel) ??
              (catalogue && kernelEntry(catalogue, kernelName(kernel))?.name) ??
              kernelName(kernel)
            }
            text={labels[at] ?? ""}
            choices={() => (catalogue ? [...more(at), ...recordedChoices(), ...kernelChoices(catalogue)] : [])}
            onChoose={(value) => chosen(at, value)}
            beyond={beyond(0)}
            hint={sides ? "SMV + HG, ws against ccbp" : "SMV + HG on an a100"}
            mark={<Swatch kernel={at} />}
          />
        </>
      ))}
      <span>on</span>
      <Menu
        id="choose-gpu"
        label="GPU"
        value={gpuOf(first)}
        choices={() => (catalogue ? gpuChoices(catalogue) : [])}
        onChoose={onChoose.gpu}
        beyond={beyond(0)}
        hint={sides ? "a100 mps 50/50, mig 3g+4g" : "SMV + HG on an a100"}
        text={gpuText(catalogue, first) ?? gpuOf(first)}
      />
      {(sides ? [0, 1] : []).map((side) => {
        const experiment = experiments[side];
        const choices = (): Choice[] => {
          if (!catalogue) return [];
          const none = side === 1 ? [{ value: NONE, title: "Nothing: A alone" }] : [],
            [schemes, vendors] = [schemeChoices(catalogue), vendorChoices(catalogue, experiment ?? first)];
          return [...none, ...(isVendors(catalogue, first) ? [...vendors, ...schemes] : [...schemes, ...vendors])];
        };
        return (
          <span class="choice-side" key={side}>
            <b class="side-mark" data-side-of={"AB"[side]}>
              {"AB"[side]}
            </b>
            <Menu
              id={`choose-scheme-${"AB"[side] ?? ""}`}
              label={`Scheme of ${"AB"[side] ?? ""}`}
              value={
                experiment
                  ? ((catalogue && policyEntry(catalogue, schemeName(experiment))?.name) ?? schemeName(experiment))
                  : NONE
              }
              text={experiment ? schemeText(experiment, catalogue) : "nothing"}
              choices={choices}
              onChoose={(name) => onChoose.scheme(side, name)}
              beyond={beyond(side)}
              hint="ws against ccbp"
            />
          </span>
        );
      })}
      {children}
    </fieldset>
  );
}
