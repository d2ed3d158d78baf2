// Starts the place Learn: the engine is fetched when the first story is in view.
import { problemsIn } from "../model/format.ts";
import "../parts/style/tokens.css";
import "../parts/style/base.css";
import "../parts/style/layout.css";
import "../parts/style/parts.css";
import "./learn.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { compileModule } from "../engine/module.ts";
import * as engine from "../wasm/corun.js";
import type { Allocator } from "./algorithm.tsx";
import { leadTo, startSkip } from "../parts/dom.ts";
import { startTheme } from "../parts/theme.ts";
import { ThemeButton } from "../parts/widgets.tsx";
import { Lab } from "../engine/lab/lab.ts";
import { Page } from "./page.tsx";
import { Runs } from "./runs.ts";

startTheme();
startSkip();
render(<ThemeButton />, document.querySelector("#actions") as HTMLElement);

const compiled = (() => {
  let once: Promise<WebAssembly.Module> | null = null;
  return () => (once ??= compileModule());
})();

/** In this thread: what it is asked takes less than a millisecond. */
async function allocator(): Promise<Allocator> {
  await engine.default({ module_or_path: await compiled() });
  return {
    form: engine.allocationForm(),
    allocate: (question) => {
      try {
        return engine.allocation(question);
      } catch (error) {
        const problems = problemsIn(error);
        if (!problems) throw error;
        return problems;
      }
    },
  };
}

const version = signal(0);
const runs = new Runs(
  async () => new Lab(await compiled(), "stories"),
  () => {
    version.value += 1;
  },
);
render(<Page runs={runs} version={version} allocator={allocator} />, document.querySelector("#main") as HTMLElement);

// What the address points at is there only now.
if (location.hash.length > 1) leadTo(decodeURIComponent(location.hash.slice(1)));
