// What lies over what on a page, by geometry: texts, controls, and the words on canvases. For people, not for code: no selector is named.
import type { Page } from "@playwright/test";

/** Remembers what is written on canvases, from now on: call it before the page is opened. */
export async function rememberInk(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Ink = { x: number; y: number; right: number; bottom: number; text: string };
    const ink = new WeakMap<HTMLCanvasElement, Ink[]>();
    Object.assign(window, { ink });
    const proto = CanvasRenderingContext2D.prototype,
      { fillText, fillRect } = proto;
    // Each painting begins with the background, over all of the canvas.
    proto.fillRect = function (this: CanvasRenderingContext2D, x, y, w, h): void {
      const { a, d } = this.getTransform();
      if (x === 0 && y === 0 && w * a >= this.canvas.width - 2 && h * d >= this.canvas.height - 2)
        ink.set(this.canvas, []);
      fillRect.call(this, x, y, w, h);
    };
    proto.fillText = function (this: CanvasRenderingContext2D, text, x, y): void {
      const m = this.measureText(text),
        t = this.getTransform(),
        scale = Math.hypot(t.a, t.b);
      const corners = [
        [x - m.actualBoundingBoxLeft, y - m.actualBoundingBoxAscent],
        [x + m.actualBoundingBoxRight, y + m.actualBoundingBoxDescent],
      ].map(([px = 0, py = 0]) => [(t.a * px + t.c * py + t.e) / scale, (t.b * px + t.d * py + t.f) / scale]);
      const xs = corners.map(([v = 0]) => v),
        ys = corners.map(([, v = 0]) => v);
      ink
        .get(this.canvas)
        ?.push({ x: Math.min(...xs), y: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys), text });
      fillText.call(this, text, x, y);
    };
  });
}

/** What is wrong with the page as it stands: one line for each thing that lies over another one, is cut off, or stands outside the window. */
export function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Ink = { x: number; y: number; right: number; bottom: number; text: string };
    interface Item extends Ink {
      owner: Element;
      layer: Element | null;
    }
    const found: string[] = [],
      items: Item[] = [];
    const ink = (window as typeof window & { ink?: WeakMap<HTMLCanvasElement, Ink[]> }).ink;
    const style = (e: Element): CSSStyleDeclaration => getComputedStyle(e);
    const chain = (e: Element | null): Element[] => {
      const all: Element[] = [];
      for (let at = e; at; at = at.parentElement) all.push(at);
      return all;
    };
    const name = (text: string): string => `“${text.trim().replace(/\s+/g, " ").slice(0, 40)}”`;
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
    const add = (
      owner: Element,
      text: string,
      box: { left: number; top: number; right: number; bottom: number },
    ): void => {
      const up = chain(owner);
      if (up.some((e) => e.matches(".hidden, .cv-spoken, .skip, #toast, option") || style(e).visibility === "hidden"))
        return;
      let { left, top, right, bottom } = box,
        scrolls = false;
      for (const e of up) {
        const s = style(e),
          b = e.getBoundingClientRect();
        if (s.overflowX === "visible" || e === document.documentElement || e === document.body) continue;
        if (s.overflowX === "auto" || s.overflowX === "scroll") scrolls = true;
        const ends = s.textOverflow === "ellipsis";
        if (!scrolls && !ends && (left < b.left - 1.5 || right > b.right + 1.5) && bottom > b.top && top < b.bottom)
          found.push(`${name(text)} is cut off at a side`);
        left = Math.max(left, b.left);
        right = Math.min(right, b.right);
        top = Math.max(top, b.top);
        bottom = Math.min(bottom, b.bottom);
      }
      if (right - left < 1 || bottom - top < 1) return;
      items.push({
        x: left,
        y: top,
        right,
        bottom,
        text,
        owner,
        // What opens over the page lies over it by intent, and is judged by itself.
        layer:
          up.find((e) => {
            const { position, zIndex } = style(e);
            return ["fixed", "sticky"].includes(position) || (position === "absolute" && Number(zIndex) > 20);
          }) ?? null,
      });
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const owner = node.parentElement;
      if (!owner?.checkVisibility() || !node.textContent?.trim() || owner.closest("select, textarea, noscript, svg"))
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      // Of a line's box, the letters: lines stand closer than their boxes.
      for (const box of range.getClientRects())
        if (box.width > 1)
          add(owner, node.textContent, {
            left: box.left,
            right: box.right,
            top: box.top + box.height * 0.15,
            bottom: box.bottom - box.height * 0.15,
          });
    }
    for (const control of document.querySelectorAll(
      "button, a, input:not(.hidden), select, textarea, summary, progress",
    )) {
      if (!control.checkVisibility()) continue;
      const { backgroundColor, borderTopColor, display } = style(control),
        clear = "rgba(0, 0, 0, 0)";
      // A field over the number that it changes, until somebody types.
      if (control instanceof HTMLInputElement && [backgroundColor, borderTopColor].every((one) => one === clear))
        continue;
      // A link in a text is as many boxes as it has lines.
      const inline = display === "inline";
      for (const { left, right, top, bottom } of inline
        ? control.getClientRects()
        : [control.getBoundingClientRect()]) {
        const rim = inline ? (bottom - top) * 0.15 : 0;
        add(control, control.getAttribute("aria-label") ?? control.textContent ?? control.id, {
          left,
          right,
          top: top + rim,
          bottom: bottom - rim,
        });
      }
    }
    for (const canvas of document.querySelectorAll("canvas")) {
      const box = canvas.getBoundingClientRect();
      if (box.width === 0 || !canvas.checkVisibility()) continue;
      for (const one of ink?.get(canvas) ?? []) {
        if (one.x < -1 || one.right > box.width + 1) found.push(`${name(one.text)} leaves its picture`);
        add(canvas, one.text, {
          left: box.left + one.x,
          right: box.left + one.right,
          top: box.top + one.y,
          bottom: box.top + one.bottom,
        });
      }
    }
    items.sort((a, b) => a.x - b.x);
    items.forEach((a, i) => {
      for (let j = i + 1; j < items.length; j++) {
        const b = items[j] as Item;
        if (b.x >= a.right - 2) break;
        if (b.y >= a.bottom - 2 || a.y >= b.bottom - 2 || a.layer !== b.layer) continue;
        // A button and its own words; a canvas has many.
        if (a.owner !== b.owner && (a.owner.contains(b.owner) || b.owner.contains(a.owner))) continue;
        if (a.owner === b.owner && !(a.owner instanceof HTMLCanvasElement)) continue;
        found.push(`${name(a.text)} over ${name(b.text)}`);
      }
    });
    return [...new Set(found)];
  });
}
