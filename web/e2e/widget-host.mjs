// A host of widgets in the form that MyST has: it imports the module by its address, hands it an element in a shadow root and a model of its own, and
// ends the widget. The model brings the module's bytes as Jupyter's does. Prints what comes out: of one run, of two, and of a link that is wrong. Messages go
// as JSON and buffers beside it, as hosts send them.
import widget from "corun/widget.mjs";

class Model extends EventTarget {
  #state = new Map();
  sent = () => {};
  get(name) {
    return this.#state.get(name);
  }
  set(name, value) {
    this.#state.set(name, value);
    this.dispatchEvent(new CustomEvent(`change:${name}`, { detail: value }));
  }
  send(content, _, buffers) {
    this.sent({ ...JSON.parse(JSON.stringify(content)), buffers });
  }
  on(event, listener) {
    this.addEventListener(event, listener);
  }
  off(event, listener) {
    this.removeEventListener(event, listener);
  }
}

const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
const el = root.appendChild(document.createElement("div"));
const model = new Model();
const sent = () => new Promise((done) => (model.sent = done));
const link = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&cycles=20000";

let next = sent();
const bytes = await (await fetch("/node_modules/corun/corun_script_bg.wasm")).arrayBuffer();
model.set("wasm", new DataView(bytes));
model.set("link", link);
const end = await widget.render({ model, el });
const { result, series, buffers } = await next;
console.log(result.digest);
const rows = new Float64Array(buffers[0]);
const first = Object.fromEntries(series[0].map((name, i) => [name, rows[i]]));
console.log(`${rows.length / series[0].length} ${first.start} ${first["kernels[1].latency"]}`);

next = sent();
model.set("link", `https://your.host/corun/${link}&b.policy=ccbp`);
const both = await next;
console.log(both.result.A.digest);
console.log(both.result.B.digest);
console.log(both.series.length, both.buffers.length);

next = sent();
model.set("link", link.replace("CFD", "CDF"));
console.log((await next).result.problems[0].path);

end();
console.log(el.childElementCount === 0 ? "nothing left" : "something left");
