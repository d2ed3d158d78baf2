// A field of the form: its label, help and problems, and a control by the kind of what it edits.
import { createContext, type ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import { toast } from "../parts/dialogs.tsx";
import { numbersText, parseNumbers } from "../model/manual.ts";
import { kernelLabels } from "../model/choices.ts";
import { Select, Text, useTyped, type At } from "../parts/controls.tsx";
import { Swatch } from "../parts/widgets.tsx";
import { fieldOf, type Field as Described } from "./fields.ts";
import type { FormState } from "./state.ts";

export const Form = createContext<FormState | null>(null);
export const useForm = (): FormState => useContext(Form) as FormState;

const idOf = (path: string): string => `f-${path.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;

/** The problems of a path. */
export function Said({ path }: { path: string }) {
  const said = useForm().placed.value.get(path);
  return (
    <p class="field-problem" id={`${idOf(path)}-problem`} hidden={!said}>
      {said?.map((one) => (
        <span key={one}>{one}</span>
      ))}
    </p>
  );
}

/** The control of a path alone; its name and its problems stand elsewhere. */
export function Control({ path, label }: { path: string; label?: string }) {
  const form = useForm(),
    field = fieldOf(form, path),
    help = field.help === undefined ? "" : `${idOf(path)}-help `;
  return (
    <Value
      field={field}
      at={{
        id: idOf(path),
        "data-path": path,
        "aria-label": label,
        "aria-describedby": `${help}${idOf(path)}-problem`,
        "aria-invalid": form.placed.value.has(path) ? "true" : undefined,
      }}
    />
  );
}

export function Field(props: {
  path: string;
  mark?: ComponentChildren;
  /** Beside the control. */
  extra?: ComponentChildren;
  hiddenLabel?: boolean;
}) {
  const { path, mark, extra, hiddenLabel = false } = props,
    id = idOf(path),
    { label, unit, help, changed } = fieldOf(useForm(), path);
  return (
    <div class={changed ? "field changed" : "field"}>
      <div class="field-row">
        <label class={hiddenLabel ? "hidden" : ""} for={id} title={path}>
          {mark}
          {label}
        </label>
        <div class="field-control">
          <Control path={path} />
          {unit !== undefined && (
            <span class="unit" title={unit}>
              {unit}
            </span>
          )}
          {extra}
        </div>
      </div>
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      <Said path={path} />
    </div>
  );
}

/** A value for each kernel, by one field each. */
export function PerKernel({ path }: { path: string }) {
  const form = useForm(),
    { label, help } = fieldOf(form, path);
  return (
    <fieldset class="param" data-path={path}>
      <legend>{label}</legend>
      <p class="field-help">{help}</p>
      {kernelLabels(form.now.kernels).map((_, k) => (
        <Field key={k} path={`${path}.${k}`} mark={<Swatch kernel={k} />} />
      ))}
      <Said path={path} />
    </fieldset>
  );
}

// ---------------------------------------------------------------- controls

interface ValueProps {
  at: At;
  field: Described;
}

/** The control of a value, by its kind. */
function Value({ at, field }: ValueProps) {
  const { kind, value, none, placeholder, put } = field;
  switch (kind) {
    case "flag":
      return (
        <input
          {...at}
          type="checkbox"
          checked={(value ?? none) === true}
          onChange={({ currentTarget: { checked } }) => put(checked === (none === true) ? undefined : checked)}
        />
      );
    case "choice": {
      const now = typeof value === "string" ? value : typeof none === "string" ? none : "",
        put1 = (to: string): void => put(to === none ? undefined : to);
      return <Select at={at} options={field.options ?? []} value={now} put={put1} />;
    }
    case "int":
    case "number":
      return <Num at={at} field={field} />;
    case "text": {
      const text = typeof value === "string" ? value : "";
      return <Text at={at} value={text} placeholder={placeholder} put={(to) => put(to === "" ? undefined : to)} />;
    }
    default: {
      const list = Array.isArray(value) ? (value as unknown[]) : [],
        ranges = kind === "ranges" && list.every((one) => typeof one === "number"),
        read = (typed: string): unknown[] =>
          (kind === "ranges" ? parseNumbers(typed, field.max ?? Infinity) : null) ?? readNumbers(typed);
      return (
        <Text
          at={at}
          value={ranges ? numbersText(list as number[]) : list.join(", ")}
          placeholder={placeholder}
          put={(typed) => put(typed.trim() === "" ? undefined : read(typed))}
        />
      );
    }
  }
}

/** Numbers with commas or spaces between them. What is no number stays as it is: the engine says what it wants there. */
const readNumbers = (text: string): (number | string)[] =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .map((part) => (Number.isFinite(Number(part)) ? Number(part) : part));

/** A number, or nothing. What is typed goes to the engine as it is; the limits only help the arrows. A slider shows what the field is set to, and sets
 * it: a drag is one change, at its end. */
function Num({ at, field }: ValueProps) {
  const { kind, min, max, value, none, slider, put } = field,
    range = useRef<HTMLInputElement>(null),
    kept = useRef("");
  const follow = (): void => {
    if (!slider || !range.current || !input.current) return;
    const number = input.current.value === "" ? null : input.current.valueAsNumber;
    range.current.value = String(slider.placeOf(number));
    if (slider.says) range.current.setAttribute("aria-valuetext", slider.says(number));
  };
  const { input, done } = useTyped(typeof value === "number" ? String(value) : "", follow);
  const commit = (): void => {
    const box = input.current as HTMLInputElement;
    // Half a number, such as “1e”, has no value: it must not pass for an empty field.
    if (box.validity.badInput) {
      box.value = kept.current;
      toast("That is not a number: the field is as it was.");
      return;
    }
    kept.current = box.value;
    put(Number.isFinite(box.valueAsNumber) ? box.valueAsNumber : undefined);
    done();
  };
  return (
    <>
      <input
        {...at}
        ref={input}
        class="number"
        type="number"
        inputMode={kind === "number" ? "decimal" : "numeric"}
        min={min}
        max={max}
        step={kind === "number" ? "any" : 1}
        placeholder={typeof none === "number" ? String(none) : field.placeholder}
        autocomplete="off"
        onFocus={({ currentTarget }) => {
          kept.current = currentTarget.value;
        }}
        onInput={follow}
        onChange={commit}
      />
      {slider && (
        <input
          ref={range}
          class="slider"
          type="range"
          min={slider.min}
          max={slider.max}
          step={slider.step}
          aria-label={slider.label}
          onInput={({ currentTarget }) => {
            const to = slider.at(currentTarget.valueAsNumber);
            if (input.current) input.current.value = to === null ? "" : String(to);
            if (slider.says) currentTarget.setAttribute("aria-valuetext", slider.says(to));
          }}
          onChange={commit}
        />
      )}
    </>
  );
}

/** Fields that are folded away. */
export function Group(props: {
  form: FormState;
  name: string;
  title: string;
  badge?: string;
  children: ComponentChildren;
}) {
  const { form, name, title, badge = "", children } = props;
  return (
    <details
      class="group"
      open={form.opened.value.has(name)}
      onToggle={({ currentTarget }) => form.open(name, currentTarget.open)}
    >
      <summary id={`f-group-${name.replaceAll(".", "-")}`}>
        <span>{title}</span>
        <span class="badge" hidden={badge === ""}>
          {badge}
        </span>
      </summary>
      {children}
    </details>
  );
}
