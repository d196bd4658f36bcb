import { globSync } from "node:fs";
import { type BuildOptions, build } from "esbuild";

const common: BuildOptions = {
  outbase: "dist",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  allowOverwrite: true,
  format: "cjs",
  platform: "node",
  target: "es2023",
  supported: { "dynamic-import": false },
  lineLimit: 200,
};

/**
 * Writes each file of `dist` that is named `.cjs` as CommonJS: until then it is an ES module, since esbuild splits
 * nothing else. Jest allows no `import()` without a flag, and so CommonJS requires what it loads on demand.
 *
 * @param tools - The entry points that are minified, as their ES modules are.
 * @param pages - The entry points that run in a page. React needs the directive in the first line
 * (https://react.dev/reference/rsc/use-client), and esbuild writes "use strict" there.
 */
export async function writeCommonJs(
  tools: readonly string[],
  ...pages: readonly string[]
): Promise<void> {
  const namesOf = (entries: readonly string[]) => entries.map((entry) => `dist/${entry}.cjs`);
  const [minified, inPages] = [namesOf(tools), namesOf(pages)];
  const own = [...minified, ...inPages];
  const others = globSync("dist/**/*.cjs").filter((path) => !own.includes(path));
  await build({ ...common, entryPoints: others });
  await build({ ...common, entryPoints: minified, minify: true });
  await build({ ...common, entryPoints: inPages, banner: { js: '"use client";' } });
}
