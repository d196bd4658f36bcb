import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Shown, takePictures } from "./contact-sheet.ts";
import { DESKTOP, NARROW } from "./sandbox-page.ts";

/** What axe finds on a page that has its source: each rule with its elements. */
export const axeViolations = (page: Page, options: axe.RunOptions = {}) =>
  page.evaluate(
    async (given) => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe };
      const { violations } = await checker.run(given);
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    },
    { ...options, resultTypes: ["violations" as const] },
  );

/** The rules that look at colours. The others find the same, light and dark. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Expects axe to find nothing on an open page, light and dark. */
export async function checkSchemes(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize() ?? {};
  for (const [colorScheme, options] of [
    ["light", {}],
    ["dark", { runOnly: OF_COLOURS }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await axeViolations(page, options);
    expect([name, width, colorScheme, found]).toEqual([name, width, colorScheme, []]);
  }
}

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
    await checkSchemes(page, name);
    await takePictures(page, `${name}-${viewport.width}`);
  }
}
