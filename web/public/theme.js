// Before the first paint: the colours that were chosen last time, else those of the system.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("corun-theme"); } catch { /* storage may be forbidden */ }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
