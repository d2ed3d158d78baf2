// <corun-windows>: the windows of a prediction as a picture that the pointer and the arrow keys walk, and as a table.
import type { Drawing } from "../draw/drawing.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { Picture } from "../views/picture.ts";
import type { LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import { figureOf, segments } from "./model.ts";
import { drawWindows, windowText, type WindowsData } from "./windows-drawing.ts";

class WindowsPicture extends Picture {
  protected readonly file = "windows";
  protected readonly name = "Windows";
  protected readonly about =
    "Kernels over time, alone and as predicted, in the windows of the formulas, with the simulation beside them.";
  #data: WindowsData | null = null;

  set data(data: WindowsData | null) {
    this.#data = data;
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null {
    return this.#data ? drawWindows(this.#data, width, t) : null;
  }

  protected tabular(): Tabular | null {
    const data = this.#data;
    if (!data) return null;
    const { kernels, windows } = data.prediction;
    return {
      title: "Windows of the prediction",
      columns: [
        { key: "window", title: "Window", unit: "" },
        { key: "from", title: "From", unit: "ms" },
        { key: "to", title: "To", unit: "ms" },
        { key: "sum", title: "S", unit: "GB/s" },
        { key: "interference", title: "I", unit: "" },
        { key: "kernel", title: "Kernel", unit: "" },
        { key: "share", title: "Share of its time alone", unit: "" },
        { key: "penalty", title: "Π", unit: "" },
        { key: "latency", title: "Takes", unit: "ms" },
      ],
      rows: windows.flatMap((window, w) =>
        kernels.flatMap((kernel, k) => {
          const part = kernel.windows[w];
          return part
            ? [
                [
                  w + 1,
                  window.start,
                  window.end,
                  window.sum,
                  window.interference,
                  kernel.name,
                  part.share,
                  part.penalty,
                  segments(data.prediction, k)[w] ?? null,
                ],
              ]
            : [];
        }),
      ),
    };
  }

  protected legend(t: Theme): LegendItem[] {
    return [
      ...(this.#data?.prediction.kernels ?? []).map(({ name }, k) => ({
        name: `${name}, predicted`,
        paint: kernelPaint(k, t),
      })),
      { name: "alone", paint: t.peak, doc: "Alone on its SMs, by Eq. 4 or measured" },
      { name: "simulated", paint: t.ink, doc: "As the run shows it; striped while it still runs" },
      { name: "deadline", paint: t.accent },
    ];
  }

  protected summary(): string {
    const data = this.#data;
    return data
      ? [
          ...data.prediction.windows.map((_, w) => windowText(data, w)),
          ...data.prediction.kernels.map(({ name, latency }) => `${name}: ${figureOf(latency)} ms predicted`),
        ].join("; ")
      : "";
  }
}
customElements.define("corun-windows", WindowsPicture);
export type { WindowsPicture };
