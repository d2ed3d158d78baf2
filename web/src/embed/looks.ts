// The looks of what is embedded: the page's tokens, for a shadow root or below all rules of its host, and a few rules.
import tokens from "../parts/style/tokens.css?inline";
import views from "../picture/views.css?inline";
import rules from "./run.css?inline";

let kept: CSSStyleSheet | null = null;

/** For the shadow root of a run. */
export function shadowSheet(): CSSStyleSheet {
  if (kept) return kept;
  kept = new CSSStyleSheet();
  kept.replaceSync(
    `${tokens.replaceAll(/:root(\[[^\]]*\])?/g, (_, of?: string) => (of ? `:host(${of})` : ":host"))}\n${views}\n${rules}`,
  );
  return kept;
}

/** For the document, whose pictures are not in shadow roots: in a layer, so that every rule of the host goes before it. */
export function documentSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@layer corun {\n${tokens}\n${views}\n}`);
  return sheet;
}
