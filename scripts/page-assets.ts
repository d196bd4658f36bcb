import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const CLIENT = new URL("../src/sandbox/page/client/", import.meta.url);

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, CLIENT))],
    bundle: true,
    write: false,
    target: "es2023",
    format: "iife",
    loader: { ".svg": "dataurl" },
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return outputFiles.map(({ text }) => text).join("");
}

/**
 * The script and the stylesheet of the sandbox's page, bundled to text: a value for the `define`
 * option of a build, which puts it in the place of the names in `src/sandbox/page/assets.ts`.
 */
export async function pageAssets(): Promise<Record<"PAGE_SCRIPT" | "PAGE_STYLE", string>> {
  const [script, style] = await Promise.all([bundle("main.ts"), bundle("style/main.css")]);
  return { PAGE_SCRIPT: JSON.stringify(script), PAGE_STYLE: JSON.stringify(style) };
}
