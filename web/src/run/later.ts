// What is large and may come a moment later is drawn in a task of its own: it is no part of the task that changes it. No DOM.
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { others } from "../engine/lab/slices.ts";

/** What `of` is, a task later; of all changes before that, the last. */
export function later<T>(of: () => T): ReadonlySignal<T> {
  const now = computed(of),
    then = signal(now.peek());
  let waits = false;
  effect(() => {
    void now.value;
    if (waits) return;
    waits = true;
    void others().then(() => {
      waits = false;
      then.value = now.peek();
    });
  });
  return then;
}
