// corun-figure.js: the elements of an article as one file with a stable name, which runs as a module and as a plain script: a host that sends no CORS
// headers serves only the latter to other origins.
import { defineArticle } from "../embed/article.ts";

const SCRIPT = "corun-figure.js";

/** The folder that the script lies in. */
defineArticle(() => {
  const found = [...document.scripts]
    .map((script) => script.src)
    .find((src) => new URL(src || "about:blank", document.baseURI).pathname.endsWith(`/${SCRIPT}`));
  return new URL(".", found ?? document.baseURI).href;
});
