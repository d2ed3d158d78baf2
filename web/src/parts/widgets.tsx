// Small pieces that the page is made of.
import type { ComponentChildren, ComponentProps, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ICONS, place, useFreshId, type IconName } from "./dom.ts";
import { encodeLink, type LinkState } from "../model/link.ts";
import { kernelStyle, painted } from "./palette.ts";
import { toggleTheme } from "./theme.ts";

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** The mark of a kernel: its colour, pattern and number. */
export const Swatch = ({ kernel }: { kernel: number }) => (
  <span class="swatch" style={painted(kernel)} aria-hidden="true">
    <b>{kernelStyle(kernel).number}</b>
  </span>
);
export const KernelName = ({ kernel, name }: { kernel: number; name: string }) => (
  <span class="kernel-name">
    <Swatch kernel={kernel} />
    <span>{name}</span>
  </span>
);

/** The mark of a run where two are compared. */
export const SideMark = ({ mark }: { mark: string }) => <b class="side-mark">{mark}</b>;
/** Above what is of one of two runs; nothing where there is one. */
export const SideHeading = ({ mark, title }: { mark: string; title: string }) =>
  mark === "" ? null : (
    <h3 class="side-heading">
      <SideMark mark={mark} />
      <span>{title}</span>
    </h3>
  );

export const Source = ({ of }: { of: string }) => (of === "" ? null : <span class="source"> Source: {of}</span>);

/** A definition right after what leads to it: a button by its `id`, or whoever has its `box`. What it says is made when it is asked for. */
export function Definition(props: {
  title: string;
  id?: string;
  box?: RefObject<HTMLDivElement | null>;
  told?(open: boolean): void;
  children: ComponentChildren;
}) {
  const { title, id, told, children } = props,
    [open, is] = useState(false),
    own = useRef<HTMLDivElement>(null),
    box = props.box ?? own;
  // Only with what it says it is as large as it is.
  useLayoutEffect(() => {
    if (!open) return;
    place(box.current, box.current?.previousElementSibling);
    box.current?.focus();
  }, [open]);
  return (
    <div
      ref={box}
      id={id}
      class="definition"
      popover="auto"
      role="dialog"
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is longer than the window, it scrolls.
      tabIndex={0}
      onToggle={({ newState }) => {
        is(newState === "open");
        told?.(newState === "open");
      }}
    >
      <h3>{title}</h3>
      {open && children}
    </div>
  );
}

/** A small “?” that says what something is. */
export function What({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useFreshId("what"),
    [open, told] = useState(false);
  return (
    <span>
      <button
        type="button"
        class="what"
        aria-label={title.startsWith("the numbers") ? `What are ${title}?` : `What is ${title}?`}
        aria-expanded={open}
        popovertarget={id}
      >
        ?
      </button>
      <Definition id={id} title={title} told={told}>
        {children}
      </Definition>
    </span>
  );
}
/** Of several numbers, behind one “?”. */
export const Meanings = ({ of }: { of: readonly (readonly [title: string, doc: ComponentChildren])[] }) => (
  <dl class="what-list">
    {of.map(([title, doc], i) => [<dt key={`${i} title`}>{title}</dt>, <dd key={`${i} doc`}>{doc}</dd>])}
  </dl>
);

interface FoldProps {
  summary: ComponentChildren;
  class?: string;
  /** It opens by itself; who has opened it closes it. */
  open?: boolean;
  /** A function: what is made only while it is open. */
  children: ComponentChildren | (() => ComponentChildren);
}
/** What is folded away until somebody asks. */
export function Fold({ summary, class: name = "", open = false, children }: FoldProps) {
  const [now, fold] = useState(open);
  useEffect(() => {
    if (open) fold(true);
  }, [open]);
  return (
    <details class={name} open={now} onToggle={({ currentTarget }) => fold(currentTarget.open)}>
      <summary>{summary}</summary>
      {typeof children === "function" ? now && (children as () => ComponentChildren)() : children}
    </details>
  );
}

/** A box that scrolls sideways. */
export const Scrolls = (props: { label: string; class?: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
  <section class={props.class ?? "scroll-x"} tabIndex={0} aria-label={props.label}>
    {props.children}
  </section>
);

interface TableProps {
  label: string;
  class?: string;
  head: readonly { title: ComponentChildren; num?: boolean; says?: string | undefined }[];
  /** Groups of rows, each under its title, where it has one. `says`: what points at it is told. */
  bodies: readonly {
    title?: ComponentChildren;
    rows: readonly { name: ComponentChildren; says?: string | undefined; cells: readonly ComponentChildren[] }[];
  }[];
}
/** Rows with a heading each. */
export const Rows = ({ label, class: more = "", head, bodies }: TableProps) => (
  <table class={`numbers ${more}`}>
    <caption class="hidden">{label}</caption>
    <thead>
      <tr>
        {head.map(({ title, num, says }, i) => (
          <th key={i} scope="col" class={num ? "num" : ""} title={says}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    {bodies.map(({ title, rows }, b) => (
      <tbody key={b}>
        {title !== undefined && (
          <tr class="group-row">
            <th scope="rowgroup" colSpan={head.length}>
              {title}
            </th>
          </tr>
        )}
        {rows.map(({ name, says, cells }, r) => (
          <tr key={r}>
            <th scope="row" title={says}>
              {name}
            </th>
            {cells.map((cell, c) => (
              <td key={c} class={head[c + 1]?.num ? "num" : ""}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    ))}
  </table>
);
/** Such rows in a box that scrolls sideways. */
export const Table = (props: TableProps) => (
  <Scrolls label={props.label}>
    <Rows {...props} />
  </Scrolls>
);

/** An element that is no component, made once; `set` gives it what it shows, each time. */
export function Host<E extends HTMLElement>({ make, set }: { make(): E; set?(element: E): void }) {
  const place = useRef<HTMLDivElement>(null),
    element = useRef<E | null>(null);
  useLayoutEffect(() => {
    element.current ??= make();
    set?.(element.current);
    if (element.current.parentNode !== place.current) place.current?.replaceChildren(element.current);
  });
  return <div ref={place} />;
}

type Pressed<More> = Omit<ComponentProps<"button">, "onClick" | "icon" | "type"> & More & { press(): void };
/** A button with words, and an icon before them. */
export const Button = (props: Pressed<{ icon?: IconName; primary?: boolean; class?: string }>) => {
  const { children, press, icon, primary = false, class: more = "", ...rest } = props;
  return (
    <button type="button" class={`button ${primary ? "primary" : ""} ${more}`.trim()} onClick={press} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
};

export const IconButton = (props: Pressed<{ icon: IconName; label: string; title?: string; class?: string }>) => {
  const { icon, label, title = label, class: more = "", press, ...rest } = props;
  return (
    <button type="button" class={`icon-button ${more}`} aria-label={label} title={title} onClick={press} {...rest}>
      <Icon name={icon} />
    </button>
  );
};

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

export const ThemeButton = () => <IconButton icon="moon" label="Dark or light" press={toggleTheme} />;

/** A button that opens a file. */
export function OpenFile(props: {
  /** Of the input. */
  id: string;
  /** Of the button. */
  button?: string;
  label: string;
  disabled?: boolean;
  children: ComponentChildren;
  take(file: File, all: readonly File[]): void;
}) {
  const { id, button, label, disabled = false, children, take } = props,
    input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        icon="upload"
        disabled={disabled}
        press={() => input.current?.click()}
        {...(button ? { id: button } : {})}
      >
        {children}
      </Button>
      <input
        ref={input}
        id={id}
        class="hidden"
        type="file"
        tabIndex={-1}
        aria-label={label}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const all = [...(currentTarget.files ?? [])];
          if (all[0]) take(all[0], all);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** A link to a run. It can be focused before its address is packed. `away`: from within an article. */
export function RunLink(props: {
  of: Pick<LinkState, "experiment" | "other"> & { engine?: string | undefined };
  label?: string;
  title?: string;
  class?: string;
  away?: boolean;
  children: ComponentChildren;
}) {
  const { of, label, away = false, children, ...rest } = props,
    { experiment, other, engine } = of,
    [href, found] = useState<string>();
  useEffect(() => {
    void encodeLink({ experiment, view: {}, ...(other ? { other } : {}), ...(engine ? { engine } : {}) }).then((hash) =>
      found(`./${hash}`),
    );
  }, [experiment, other, engine]);
  return (
    <a href={href} tabIndex={0} aria-label={label} {...(away ? { target: "_blank", rel: "noopener" } : {})} {...rest}>
      {children}
    </a>
  );
}
