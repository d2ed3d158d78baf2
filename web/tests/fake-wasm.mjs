// Puts the stand-in for the engine where the real module goes, to work on the page before building that.
import { mkdir, readFile, writeFile } from "node:fs/promises";

const out = new URL("../src/wasm/", import.meta.url);
await mkdir(out, { recursive: true });
const text =
  'export * from "../../tests/fake-simulation.ts";\nexport { default } from "../../tests/fake-simulation.ts";\n';
for (const name of ["corun", "corun_script"]) {
  await writeFile(new URL(`${name}.js`, out), text);
  await writeFile(
    new URL(`${name}.d.ts`, out),
    `${await readFile(new URL("../../wasm/src/types.ts", import.meta.url), "utf8")}${text}`,
  );
  await writeFile(new URL(`${name}_bg.wasm`, out), Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
}
console.log("web/src/wasm: a stand-in with made-up numbers; `cargo xtask wasm` replaces it");
