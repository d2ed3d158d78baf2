// The “…” of a picture: its table, its exports, what its numbers mean.
import { expect, type Locator, type Page } from "@playwright/test";

export const more = (picture: Locator): Locator => picture.getByRole("button", { name: /^More: / });

/** Opens the menu of a picture and presses an entry of it. */
export async function pick(picture: Locator, entry: string | RegExp): Promise<void> {
  await more(picture).click();
  await picture
    .getByRole("menuitem", { name: entry })
    .or(picture.getByRole("menuitemcheckbox", { name: entry }))
    .click();
}

/** Closes the drawer. */
export async function close(page: Page): Promise<void> {
  const open = page.locator("#drawer [role=tab][aria-selected=true]");
  if ((await open.count()) > 0) await open.click();
  await expect(page.locator(".drawer-body")).toBeHidden();
}
