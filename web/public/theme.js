// Before the first paint: the colours that the address asks for, as that of a frame in an article; else those that were chosen last time, else those of
// the system.
(() => {
  let chosen = new URLSearchParams(location.search).get("theme");
  if (chosen !== "dark" && chosen !== "light")
    try { chosen = localStorage.getItem("corun-theme"); } catch { /* storage may be forbidden */ }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();

// From a file, a browser loads neither the page's modules nor the simulator: this says what to do, without them.
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    const put = (tag, text) => { const e = document.createElement(tag); e.textContent = text; document.body.append(e); };
    document.body.replaceChildren();
    put("h1", "Corun needs a web server");
    put("p", "This page was opened as a file, and browsers do not let a file load the simulator. Any web server will do, and nothing leaves this computer. In the folder of this page:");
    put("pre", "python3 -m http.server 8080 --bind 127.0.0.1");
    put("p", "then open http://127.0.0.1:8080/ . In a clone of Corun, one command builds the page and serves it there:");
    put("pre", "cargo xtask serve");
  });
}
