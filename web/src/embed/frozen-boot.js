// In a saved file: starts the widget with the module that the file brings, when it is asked to.
const $ = (id) => document.getElementById(id);
const runs = JSON.parse($("runs").textContent);
let wasm = null;
let end = () => {};

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const digestOf = (result) =>
  result.digest
    ? result.digest
    : Object.values(result)
        .map((one) => one.digest)
        .join("+");

async function go() {
  const { link, digest } = runs[Number($("run")?.value ?? 0)];
  $("same").textContent = "";
  wasm ??= unpacked($("wasm").textContent);
  const source = new Blob([JSON.parse($("widget").textContent)], { type: "text/javascript" });
  const { default: widget } = await import(URL.createObjectURL(source));
  const theme =
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const state = { link, theme, wasm: await wasm };
  const told = (result) => {
    if (result.problems || !digest) return;
    $("same").textContent =
      digestOf(result) === digest
        ? "The run ended as the picture says, bit for bit."
        : `The run ended with digest ${digestOf(result)}, and the picture is of ${digest}.`;
  };
  end();
  end = widget.render({
    model: { get: (name) => state[name], send: ({ result }) => told(result) },
    el: $("live"),
  });
}
$("go").addEventListener("click", () => {
  go().catch((error) => {
    $("same").textContent = String(error);
  });
});
