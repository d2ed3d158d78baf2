// What the experiment can be compared with, and which of two that are compared is edited.
import { Deeds, type Option } from "../controls.tsx";
import { useForm } from "./field.tsx";
import type { Experiment } from "../types.ts";
import { copy } from "./state.ts";

/** Where two are compared already, the other side is swapped above the pictures. */
export function Compare(props: {
  id: string;
  what: string;
  options: readonly Option[];
  change(other: Experiment, value: string): void;
}) {
  const form = useForm(),
    { id, what, options, change } = props;
  if (form.sides.value.length > 0) return null;
  return (
    <Deeds
      id={id}
      class="compare-with"
      label={`Compare with another ${what}`}
      first="Compare with…"
      options={options}
      choose={(value) => {
        const other = copy(form.now);
        change(other, value);
        form.events.compare(other);
      }}
    />
  );
}

export function Sides() {
  const { sides, side, events } = useForm();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame
    <div class="side-tabs" role="group" aria-label="Which experiment is edited" hidden={sides.value.length === 0}>
      {sides.value.map((title, i) => (
        <button key={i} type="button" class="side-tab" aria-pressed={i === side.value} onClick={() => events.edit(i)}>
          <b class="side-mark">{"AB"[i]}</b>
          <span>Edit {"AB"[i]}</span>
          <span class="side-tab-title">{title}</span>
        </button>
      ))}
    </div>
  );
}
