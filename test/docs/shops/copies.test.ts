import { existsSync, globSync, readFileSync } from "node:fs";
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

test.each(["express", "fastify", "nest", "next"])(
  "the page of the shop on %s prints every file",
  (name) => {
    const files = globSync(`examples/${name}/**/*.{ts,tsx,json}`, {
      exclude: (path) => /(?:^|\/)(?:data|dist|node_modules|\.next)(?:\/|$)/.test(path),
    });
    const page = readFileSync(`docs/shops/${name}.md`, "utf8");
    for (const file of files) {
      expect(page).toContain(`### \`${file.slice(`examples/${name}/`.length)}\`\n`);
      expect(page).toContain(`<!-- example: ${file} -->`);
    }
    expect(files.length).toBeGreaterThan(3);
  },
);
