// A text that is code: CodeMirror, as soon as it is there, and a plain field where it cannot be fetched.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Editor, Options } from "./codemirror.ts";
import type { Mark } from "./json.ts";

interface Props extends Options {
  path: string;
  marks: readonly Mark[];
}

export function Code(props: Props) {
  const { id, label, path, text, marks } = props,
    host = useRef<HTMLDivElement>(null),
    editor = useRef<Editor | null>(null),
    latest = useRef(props),
    wanted = useRef(false),
    [state, setState] = useState<"loading" | "there" | "none">("loading");
  latest.current = props;
  useEffect(() => {
    let gone = false;
    void import("./codemirror.ts").then(
      ({ edit }) => {
        if (gone || !host.current) return;
        const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
        editor.current = edit(root, {
          ...latest.current,
          typed: (typed) => latest.current.typed(typed),
          run: () => latest.current.run(),
        });
        wanted.current = document.activeElement === host.current;
        setState("there");
      },
      () => setState("none"),
    );
    return () => {
      gone = true;
      editor.current?.destroy();
    };
  }, []);
  // Its own place for the focus goes first, and would take the focus with it.
  useEffect(() => {
    if (wanted.current) editor.current?.focus();
    wanted.current = false;
  }, [state]);
  // At once: what is typed next must not be taken for what comes from elsewhere.
  useLayoutEffect(() => editor.current?.show(text, marks));
  if (state === "none")
    return (
      <textarea
        id={id}
        class="json"
        data-path={path}
        aria-label={label}
        aria-invalid={marks.length > 0}
        rows={12}
        value={text}
        onInput={({ currentTarget }) => props.typed(currentTarget.value)}
      />
    );
  return (
    <div
      ref={host}
      class="code"
      tabIndex={state === "loading" ? -1 : undefined}
      data-path={path}
      aria-busy={state === "loading"}
    />
  );
}
