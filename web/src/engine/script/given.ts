/** Whether an experiment has a script; of a text, an experiment's or a sweep's, whether it may have one. */
export function hasScript(given: string | object): boolean {
  if (typeof given === "string") return given.includes('"script"');
  const policy = (given as { policy?: unknown }).policy;
  return [policy]
    .flat()
    .some(
      (one) =>
        typeof one === "object" && one !== null && (one as { name?: unknown }).name === "script" && "source" in one,
    );
}
