// Starts the place Learn: the engine is fetched when the first story is in view.
import { problemsIn } from "../format.ts";
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "./learn.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { compileModule } from "../module.ts";
import * as engine from "../wasm/corun.js";
import type { Allocator } from "./algorithm.tsx";
import { startTheme } from "../theme.ts";
import { ThemeButton } from "../widgets.tsx";
import { ownName, watched } from "../life.ts";
import { Lab, type FromLab, type Port, type ToLab } from "./lab.ts";
import { Page } from "./page.tsx";

startTheme();
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

async function start(heard: (message: FromLab) => void): Promise<Port> {
  const module = await compiled(),
    name = ownName("stories"),
    worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
  const post = (message: ToLab): void => {
    worker.postMessage(message);
  };
  return new Promise((ready) => {
    worker.onerror = (event) => {
      heard({ t: "failed", why: event.message || "the worker stopped" });
    };
    worker.onmessage = (event: MessageEvent<FromLab>) => {
      if (event.data.t === "ready")
        ready({
          run: (key, job) => {
            post({ t: "run", key, job });
          },
        });
      else heard(event.data);
    };
    post({ t: "init", module });
  });
}

const version = signal(0);
const lab = new Lab(start, () => {
  version.value += 1;
});
render(<Page lab={lab} version={version} allocator={allocator} />, document.querySelector("#main") as HTMLElement);

// What the address points at is there only now.
if (location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
