// Small pieces of the form.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ICONS, definition, h, type IconName } from "../dom.ts";
import { kernelStyle } from "../palette.ts";
import type { FormState } from "./state.ts";

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** The mark of a kernel: its colour, pattern and number. */
export const Swatch = ({ kernel }: { kernel: number }) => (
  <span class={`swatch swatch-${kernel % 8}`} aria-hidden="true">
    <b>{kernelStyle(kernel).number}</b>
  </span>
);

export const Source = ({ of }: { of: string }) => (of === "" ? null : <span class="source"> Source: {of}</span>);

/** A small “?” that says what something is. */
export function What({ title, doc, source }: { title: string; doc: string; source: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const from = source === "" ? null : h("p", { class: "source" }, `Source: ${source}`);
    place.current?.replaceChildren(definition(title, h("p", null, doc), from));
  }, [title, doc, source]);
  return <span ref={place} />;
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  title?: string;
  id?: string;
  class?: string;
  disabled?: boolean;
  press(): void;
}
export const IconButton = ({ icon, label, title = label, class: more = "", press, ...rest }: IconButtonProps) => (
  <button type="button" class={`icon-button ${more}`} aria-label={label} title={title} onClick={press} {...rest}>
    <Icon name={icon} />
  </button>
);

/** Up, down and out of a list. `ids` begins the names of the buttons. */
export function Moves(props: {
  name: string;
  at: number;
  of: number;
  ids: string;
  move(by: number): void;
  remove(): void;
}) {
  const { name, at, of, ids, move, remove } = props;
  const ways = [
    { icon: "up", does: "Move", to: " up", disabled: at === 0, press: () => move(-1) },
    { icon: "down", does: "Move", to: " down", disabled: at === of - 1, press: () => move(1) },
    { icon: "close", does: "Remove", to: "", disabled: false, press: remove },
  ] as const;
  return (
    <div class="mix-buttons">
      {ways.map(({ icon, does, to, disabled, press }) => {
        const id = `${ids}${icon === "close" ? "remove" : icon}-${at}`,
          label = `${does} ${name}${to}`;
        return <IconButton key={icon} title={`${does}${to}`} {...{ icon, id, label, disabled, press }} />;
      })}
    </div>
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
