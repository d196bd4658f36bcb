// The CommonJS form of the package: each ES module of `dist`, turned over as it is, so that both forms
// have the same modules and none is in there twice.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { transform } from "esbuild";

const DIST = "dist";

/** A program, what a served sandbox loads by `import()`, and a quicker form of another: ES modules alone. */
const STAYS = /^(?:cli\b|page\.js|openapi\.js|webhooks\.node\.js)/;

const RELATIVE = /((?:from|import)\s*\(?\s*["'])(\.{1,2}\/[^"']+)\.js(["'])/g;

/** Writes a `.cjs` beside every `.js`. */
export async function writeCommonJs(): Promise<void> {
  const files = await readdir(DIST, { recursive: true });
  const modules = files.filter((file) => file.endsWith(".js") && !STAYS.test(file));
  await Promise.all(
    modules.map(async (file) => {
      const source = await readFile(join(DIST, file), "utf8");
      const { code } = await transform(source.replace(RELATIVE, "$1$2.cjs$3"), {
        format: "cjs",
        target: "es2023",
        platform: "node",
        minifyWhitespace: true,
        minifySyntax: true,
      });
      await writeFile(join(DIST, file.replace(/js$/, "cjs")), code);
    }),
  );
}

/** The declarations of each entry as an ES module: all that its CommonJS form declares. */
export async function writeModuleTypes(entries: readonly string[]): Promise<void> {
  await Promise.all(
    entries.map((entry) =>
      writeFile(join(DIST, `${entry}.d.ts`), `export * from "./${basename(entry)}.cjs";\n`),
    ),
  );
}
