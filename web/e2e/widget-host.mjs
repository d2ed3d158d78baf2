// A host of widgets in the form that MyST has: it imports the module by its address, hands it an element in a shadow root and a model of its own, and
// ends the widget. The model brings the module's bytes as Jupyter's does. Prints what comes out: of one run, of two, and of a link that is wrong.
import widget from "corun/widget.mjs";

class Model extends EventTarget {
  #state = new Map();
  saved = () => {};
  get(name) {
    return this.#state.get(name);
  }
  set(name, value) {
    this.#state.set(name, value);
    this.dispatchEvent(new CustomEvent(`change:${name}`, { detail: value }));
  }
  save_changes() {
    this.saved(this.get("result"));
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
const saved = () => new Promise((done) => (model.saved = done));
const link = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&cycles=20000";

let next = saved();
const bytes = await (await fetch("/node_modules/corun/corun_script_bg.wasm")).arrayBuffer();
model.set("wasm", new DataView(bytes));
model.set("link", link);
const end = await widget.render({ model, el });
console.log((await next).digest);

next = saved();
model.set("link", `https://your.host/corun/${link}&b.policy=ccbp`);
const both = await next;
console.log(both.A.digest);
console.log(both.B.digest);

next = saved();
model.set("link", link.replace("CFD", "CDF"));
console.log((await next).problems[0].path);

end();
console.log(el.childElementCount === 0 ? "nothing left" : "something left");
