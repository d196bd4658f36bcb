import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readShopCommands } from "../../runtimes/shops/page.ts";

const read = (path: string) => readFileSync(`examples/${path}`, "utf8");

// Each shop can be copied whole, so each has its own copy of what it shares with the others.
test.each(["fastify", "nest", "next"])("the shop on %s has the files of the others", (name) => {
  for (const file of ["shop.ts", "pages.ts"]) {
    if (file === "pages.ts" && name === "next") continue; // its pages are components
    expect(existsSync(`examples/${name}/${file}`)).toBe(true);
    expect(read(`${name}/${file}`)).toBe(read(`express/${file}`));
  }
});

test.each(["express", "fastify", "nest", "next"])(
  "the page of the shops copies every file of the shop on %s from the package",
  (name) => {
    const commands = readShopCommands(name);
    expect(commands).toHaveLength(5);
    expect(commands[3]).toContain(`cp -r node_modules/malipo/examples/${name}/. .`);
    const files = globSync(`examples/${name}/**/*.{ts,tsx,json}`);
    expect(files.length).toBeGreaterThan(3);
  },
);
