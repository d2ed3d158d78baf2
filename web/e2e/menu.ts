// The “…” of a picture: its table, its exports, what its numbers mean.
import type { Locator } from "@playwright/test";

export const more = (picture: Locator): Locator => picture.getByRole("button", { name: /^More: / });

/** Opens the menu of a picture and presses an entry of it. */
export async function pick(picture: Locator, entry: string | RegExp): Promise<void> {
  await more(picture).click();
  await picture
    .getByRole("menuitem", { name: entry })
    .or(picture.getByRole("menuitemcheckbox", { name: entry }))
    .click();
}
