import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

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
  "the pages of the shop on %s print every file",
  (name) => {
    const files = globSync(`examples/${name}/**/*.{ts,tsx,json}`, {
      exclude: (path) => /(?:^|\/)(?:data|dist|node_modules|\.next)(?:\/|$)/.test(path),
    });
    const paths = ["docs/guides/shop.md", `docs/guides/shop-${name}.md`];
    const text = paths.map((path) => readFileSync(path, "utf8")).join("\n");
    for (const file of files) {
      const own = file.slice(`examples/${name}/`.length);
      expect(text).toContain(`### \`${own}\`\n`);
      // The first test of this file shows that the shared ones are equal.
      const shared = `<!-- example: examples/express/${own} -->`;
      expect(text.includes(`<!-- example: ${file} -->`) || text.includes(shared)).toBe(true);
    }
    expect(files.length).toBeGreaterThan(3);
  },
);
