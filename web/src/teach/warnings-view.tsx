// What a run cannot show, below its pictures; two runs that are compared have theirs one after the other.

/** Of each run, its mark (empty where there is one) and what is to be said of it. */
export function Warnings({ runs }: { runs: readonly { mark: string; texts: readonly string[] }[] }) {
  // What both have in common is said once.
  const all = runs.flatMap(({ mark, texts }) =>
    texts.map((text) => (mark === "" || runs.every((one) => one.texts.includes(text)) ? text : `${mark}: ${text}`)),
  );
  const lines = [...new Set(all)];
  if (lines.length === 0) return null;
  const list = (
    <ul class="warnings" aria-label="What this run cannot show">
      {lines.map((text) => (
        <li key={text}>
          <b aria-hidden="true">!</b>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
  if (lines.length === 1) return list;
  // Several would take the room of the pictures.
  return (
    <details class="warnings-all">
      <summary>{lines.length} things that this run cannot show</summary>
      {list}
    </details>
  );
}
