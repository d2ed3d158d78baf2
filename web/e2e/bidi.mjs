// As much of WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/) as a check of the pages in Firefox needs: one window, functions that run in it, events.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Firefox {
  #process;
  #socket;
  #profile;
  #context = "";
  #asked = 0;
  #answers = new Map();
  #listeners = new Map();
  version = "";

  /** A Firefox without a window on the screen, with a new profile. */
  static async start(path) {
    const firefox = new Firefox();
    firefox.#profile = mkdtempSync(join(tmpdir(), "corun-firefox-"));
    firefox.#process = spawn(
      path,
      ["--headless", "--no-remote", "--profile", firefox.#profile, "--remote-debugging-port=0", "about:blank"],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const address = await new Promise((found, failed) => {
      let said = "";
      firefox.#process.on("error", failed);
      firefox.#process.on("exit", (code) => failed(new Error(`Firefox ended with ${code}: ${said}`)));
      firefox.#process.stderr.on("data", (bytes) => {
        said += bytes;
        const line = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
        if (line) found(line[1]);
      });
    });
    firefox.#socket = new WebSocket(`${address}/session`);
    await new Promise((open, failed) => {
      firefox.#socket.onopen = open;
      firefox.#socket.onerror = () => failed(new Error(`no answer at ${address}`));
    });
    firefox.#socket.onmessage = ({ data }) => firefox.#hear(JSON.parse(data));
    const { capabilities } = await firefox.#ask("session.new", { capabilities: {} });
    firefox.version = `${capabilities.browserName} ${capabilities.browserVersion}`;
    await firefox.#ask("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
    firefox.#context = (await firefox.#ask("browsingContext.getTree", {})).contexts[0].context;
    return firefox;
  }

  on(event, listener) {
    this.#listeners.set(event, listener);
  }
  go(url) {
    return this.#ask("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }
  /** Runs a function in each document before its own scripts. */
  beforeEachPage(run) {
    return this.#ask("script.addPreloadScript", { functionDeclaration: String(run) });
  }
  /** Calls a function in the page and gives what it returns, or promises: anything that JSON can hold. */
  async evaluate(run, ...given) {
    const answer = await this.#ask("script.callFunction", {
      functionDeclaration: `async () => JSON.stringify(await (${run})(...${JSON.stringify(given)})) ?? "null"`,
      awaitPromise: true,
      target: { context: this.#context },
    });
    if (answer.type === "exception") throw new Error(answer.exceptionDetails.text);
    return JSON.parse(answer.result.value);
  }
  end() {
    this.#process.removeAllListeners("exit");
    this.#process.on("exit", () => rmSync(this.#profile, { recursive: true, force: true }));
    this.#process.kill();
  }

  #ask(method, params) {
    const id = ++this.#asked;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((done, failed) => {
      this.#answers.set(id, { done, failed });
    });
  }
  #hear(message) {
    if (message.type === "event") {
      this.#listeners.get(message.method)?.(message.params);
      return;
    }
    const { done, failed } = this.#answers.get(message.id) ?? {};
    this.#answers.delete(message.id);
    if (message.type === "success") done?.(message.result);
    else failed?.(new Error(`${message.error}: ${message.message}`));
  }
}
