import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Shown } from "./contact-sheet.ts";
import { DESKTOP, NARROW } from "./sandbox-page.ts";

const SCREENSHOTS = new URL("./artefacts/", import.meta.url);

/** What axe finds on a page that has its source: each rule with its elements. */
export const axeViolations = (page: Page) =>
  page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: typeof import("axe-core") }
    ).axe.run();
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  });

/** A width and a colour scheme in which pages are checked. */
export interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

/** Expects axe to find nothing on some pages. One page of the browser shows them all: axe is read once. */
export async function checkAxe(
  page: Page,
  shown: readonly Shown[],
  { width, colorScheme }: Look,
): Promise<void> {
  await page.setViewportSize({ width, height: 720 });
  await page.emulateMedia({ colorScheme });
  await page.setContent("");
  await page.evaluate(axe.source);
  for (const { name, html } of shown) {
    await page.evaluate((text) => {
      const { documentElement } = new DOMParser().parseFromString(text, "text/html");
      document.replaceChild(document.adoptNode(documentElement), document.documentElement);
    }, html);
    expect([name, width, colorScheme, await axeViolations(page)]).toEqual([
      name,
      width,
      colorScheme,
      [],
    ]);
  }
}

/** Expects an open page to fit and to pass axe: wide and narrow, light and dark. */
export async function checkLook(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const viewport of [DESKTOP, NARROW]) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(viewport.width);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const file = `${name}-${viewport.width}-${colorScheme}.png`;
      await page.screenshot({ path: new URL(file, SCREENSHOTS).pathname });
      const found = await axeViolations(page);
      expect([viewport.width, colorScheme, found]).toEqual([viewport.width, colorScheme, []]);
    }
  }
}
