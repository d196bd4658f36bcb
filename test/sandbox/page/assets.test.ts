import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let served: ServedSandbox;
beforeAll(async () => {
  served = await createSandbox().serve({ port: 0 });
});
afterAll(() => served.close());

const asset = (name: string) => fetch(`${served.url}/_sandbox/${name}`);

describe("the page's script and stylesheet", () => {
  test.each([
    ["page.js", "text/javascript", "EventSource"],
    ["page.css", "text/css", "color-scheme"],
  ])("%s is served as %s", async (name, type, part) => {
    const response = await asset(name);
    expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(await response.text()).toContain(part);
  });

  test("the script names no other host", async () => {
    expect(await (await asset("page.js")).text()).not.toMatch(/https?:/);
  });

  test("the stylesheet has its images in it", async () => {
    const style = await (await asset("page.css")).text();
    expect(style).not.toContain("@import");
    const sources = [...style.matchAll(/url\(["']?(\w+:)/g)].map(([, scheme]) => scheme);
    expect(sources).toHaveLength(style.split("url(").length - 1);
    expect(new Set(sources)).toEqual(new Set(["data:"]));
  });
});
