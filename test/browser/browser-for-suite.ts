import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

/**
 * Connects to the Chromium that all test files of a run share. Ends the connection after the tests of a suite,
 * which closes what was opened by it.
 */
export function browserForSuite(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    const response = await fetch(`${inject("engines")}/chromium`);
    if (!response.ok) throw new Error(await response.text());
    browser = await chromium.connect((await response.json()).address);
  });
  afterAll(() => browser?.close());
  return () => browser;
}
