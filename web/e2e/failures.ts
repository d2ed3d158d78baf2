// Ends the output with each failure in a few lines, where a log that is cut still shows them.
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

const LINES = 14;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colours begin with one.
const COLOURS = /\u001b\[[\d;]*m/g;

export default class Failures implements Reporter {
  readonly #failed: string[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status === test.expectedStatus || result.status === "skipped") return;
    const said = result.errors.map(
      ({ message = "", location }) =>
        `${message
          .replaceAll(COLOURS, "")
          .split("\n")
          .filter((line) => line.trim() !== "")
          .slice(0, LINES)
          .join("\n    ")}${location ? `\n    at ${location.file}:${location.line}` : ""}`,
    );
    this.#failed.push(`  ${test.title}${result.retry > 0 ? " (again)" : ""}\n    ${said.join("\n    ")}`);
  }

  onEnd(): void {
    if (this.#failed.length > 0) console.log(`\nWhat failed, if only once:\n${this.#failed.join("\n")}\n`);
  }
}
