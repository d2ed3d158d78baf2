// Present mode: the answer and two panels, large, for a lecture room.
import "./present.css";

export const presenting = (): boolean => "present" in document.documentElement.dataset;

/** Shows or leaves it; what had the focus may be hidden then, so the pictures get it. */
export function present(on: boolean): void {
  document.documentElement.toggleAttribute("data-present", on);
  const focused = document.activeElement;
  if (focused && focused !== document.body && !focused.checkVisibility()) document.getElementById("main")?.focus();
  // Pictures measure their room again.
  dispatchEvent(new Event("resize"));
}
