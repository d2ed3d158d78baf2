// Dark or light, the same on every page: what was chosen once, else what the system says. public/theme.js sets it before the first paint.
import { isDark, onThemeChange, paintKernels } from "./palette.ts";
import { store, stored } from "./remembered.ts";

const KEY = "corun-theme";
/** What may be stored, or asked for in the address: anything else is no choice. */
const THEMES: readonly (string | null)[] = ["dark", "light"];

/** Paints the kernels' colours now and at every change; until the user chooses, the page follows the system. */
export function startTheme(): void {
  paintKernels();
  onThemeChange(paintKernels);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    const chosen = [new URLSearchParams(location.search).get("theme"), stored(KEY)];
    if (!chosen.some((one) => THEMES.includes(one)))
      document.documentElement.dataset["theme"] = event.matches ? "dark" : "light";
  });
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  store(KEY, next);
}
