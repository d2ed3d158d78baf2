// What stands on the page while it is not what is asked for: nothing of the run before where the next one comes, and else that run under a ribbon.
import { made } from "./dom.ts";

/** Gives back what marks them. */
export function staleBanner(pictures: HTMLElement): (standing: "waits" | { text: string } | null) => void {
  const ribbon = made<HTMLElement>(<p class="standing" hidden />);
  pictures.prepend(ribbon);
  return (standing) => {
    const waits = standing === "waits",
      text = standing === null || waits ? "" : standing.text;
    if (ribbon.textContent !== text) ribbon.textContent = text;
    ribbon.hidden = text === "";
    pictures.toggleAttribute("data-waits", waits);
    if (waits) pictures.setAttribute("aria-busy", "true");
    else pictures.removeAttribute("aria-busy");
  };
}
