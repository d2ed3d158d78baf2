// The simulator in a frame of an article: `./?embed=1&hide=memory,schemes#v=1&…`. What is around the pictures is left away, and what `hide` names too;
// a panel that the link opens stands under them. The article hears how tall the page is, in the message that figures send (parts/dom.ts).
import { made, tellHeight } from "../parts/dom.ts";

/** What the window hears when the address has changed with the run. */
export const LINKED = "corun-linked";

/** What the names that `hide` takes leave out, beside the panels of the drawer, which are named by their ids. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ["transport", "corun-dock"],
  ["verdict", "#verdict, #slows"],
  ["gpu", "#gpu"],
  ["memory", "#reads, #path"],
  ["timeline", ".dk-axis, .dk-lanes, .dk-extras"],
  ["schemes", "#all-schemes"],
]);

/** What is to be hidden of the parts and panels that there are, by name, and names that are none. */
export function hidden(
  query: URLSearchParams,
  panels: readonly { id: string }[],
): { rules: ReadonlyMap<string, string>; known: readonly string[]; unknown: string[] } {
  const rest = panels.filter(({ id }) => !PARTS.has(id)).map(({ id }): [string, string] => [id, `#${id}`]);
  const all = new Map([...PARTS, ...rest]);
  const names = [
    ...new Set(
      (query.get("hide") ?? "")
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    ),
  ];
  return {
    rules: new Map([...all].filter(([name]) => names.includes(name))),
    known: [...all.keys()],
    unknown: names.filter((name) => !all.has(name)),
  };
}

/** Where the address asks for it; does nothing otherwise. */
export function startEmbed(all: readonly { id: string }[]): void {
  const query = new URLSearchParams(location.search);
  if (query.get("embed") !== "1") return;
  const { rules, known, unknown } = hidden(query, all),
    root = document.documentElement;
  root.dataset["embed"] = "lab";
  // By a rule: what is hidden may come into the page later.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([...rules.values()].map((rule) => `${rule} { display: none !important; }`).join("\n"));
  document.adoptedStyleSheets.push(sheet);
  const main = document.querySelector("#main") as HTMLElement;
  main.setAttribute("aria-label", "A run of Corun");
  main.prepend(document.querySelector("h1") as HTMLElement);
  const foot = made<HTMLElement>(
    <p class="embed-foot">
      <a class="embed-whole" href="./" target="_blank" rel="noopener">
        Open this run in Corun
      </a>
      {unknown.length > 0 && (
        <span class="field-problem">
          {` hide: found ${unknown.map((name) => `“${name.slice(0, 40)}”`).join(", ")}, want some of ${known.join(", ")}`}
        </span>
      )}
    </p>,
  );
  // At the cycle that is shown: the address changes with it.
  addEventListener(LINKED, () => {
    foot.querySelector("a")?.setAttribute("href", `./${location.hash}`);
  });
  main.append(foot);
  tellHeight();
}
