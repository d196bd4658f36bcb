import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(`examples/${path}`, "utf8");

// Each shop can be copied whole, so each has its own copy of what it shares with the others.
test.each(["fastify", "nest", "next"])("the shop on %s has the files of the others", (name) => {
  for (const file of ["orders.ts", "shop.ts", "pages.ts"]) {
    if (file === "pages.ts" && name === "next") continue; // its pages are components
    expect(existsSync(`examples/${name}/${file}`)).toBe(true);
    expect(read(`${name}/${file}`)).toBe(read(`express/${file}`));
  }
});
