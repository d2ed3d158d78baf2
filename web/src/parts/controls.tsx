// The controls of forms: a choice and a text. What is typed is done when the field is left, or with Enter.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Option {
  value: string;
  text: string;
  group?: string;
}
export interface At {
  id?: string;
  title?: string;
  disabled?: boolean;
  "data-path"?: string;
  "aria-label"?: string | undefined;
  "aria-describedby"?: string;
  "aria-invalid"?: "true" | undefined;
}

/** Options, those of a group together. */
function Options({ of }: { of: readonly Option[] }) {
  const one = ({ value, text }: Option) => (
    <option key={value} value={value}>
      {text}
    </option>
  );
  const groups = [...new Set(of.map(({ group }) => group))].filter((group) => group !== undefined);
  return (
    <>
      {of.filter(({ group }) => group === undefined).map(one)}
      {groups.map((group) => (
        <optgroup key={group} label={group}>
          {of.filter((all) => all.group === group).map(one)}
        </optgroup>
      ))}
    </>
  );
}

/** A choice. A name that is not in the list stays as it is: the engine says what is wrong with it. Of `deeds`, what is chosen happens, and nothing
 * stays chosen. */
export function Select(props: {
  at: At;
  options: readonly Option[];
  value: string;
  /** What stands for all of them. */
  deeds?: string;
  class?: string;
  put(value: string): void;
}) {
  const { at, options, value, deeds, put } = props,
    all = deeds === undefined ? options : [{ value: "", text: deeds }, ...options],
    known = all.some((one) => one.value === value);
  return (
    <select
      {...at}
      class={props.class}
      value={value}
      onChange={({ currentTarget }) => {
        const to = currentTarget.value;
        if (deeds !== undefined) currentTarget.value = "";
        if (deeds === undefined || to !== "") put(to);
      }}
    >
      {!known && <option value={value}>{value || "–"}</option>}
      <Options of={all} />
    </select>
  );
}
export const Deeds = (props: {
  id: string;
  label: string;
  first: string;
  class?: string;
  options: readonly Option[];
  choose(value: string): void;
}) => (
  <Select
    at={{ id: props.id, "aria-label": props.label }}
    class={props.class ?? ""}
    options={props.options}
    value=""
    deeds={props.first}
    put={props.choose}
  />
);

/** An input that keeps what is being typed until it is done, and then shows what came of it. */
export function useTyped(text: string, follow?: () => void) {
  const input = useRef<HTMLInputElement>(null),
    [times, again] = useState(0);
  useLayoutEffect(() => {
    if (input.current) input.current.value = text;
    follow?.();
  }, [text, times]);
  return { input, done: () => again(times + 1) };
}

export function Text(props: {
  at: At;
  value: string;
  placeholder?: string | undefined;
  maxLength?: number;
  put(text: string): void;
}) {
  const { at, value, put, ...rest } = props,
    { input, done } = useTyped(value);
  return (
    <input
      {...at}
      {...rest}
      ref={input}
      type="text"
      autocomplete="off"
      spellcheck={false}
      onChange={({ currentTarget }) => {
        put(currentTarget.value);
        done();
      }}
    />
  );
}
