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

/** What is bundled to text, by the name that it replaces in an `assets.ts`. */
const ASSETS = {
  PAGE_SCRIPT: "page-script.ts",
  PAGE_STYLE: "style/main.css",
  DOCS_STYLE: "../docs/style.css",
  OPERATOR_STYLE: "../../../operator/style.css",
  PAY_STYLE: "../../../checkout/page/pay.css",
  BOOKS_STYLE: "../../../checkout/books/books.css",
  DRILL_STYLE: "../../../drill/results.css",
  PAY_SCRIPT: "../../../checkout/page/follow-order.ts",
};

/**
 * The scripts and stylesheets of the pages, bundled to text: a value for the `define`
 * option of a build.
 */
export async function pageAssets(): Promise<Record<string, string>> {
  const bundles = Object.entries(ASSETS).map(
    async ([name, path]) => [name, JSON.stringify(await bundle(path))] as const,
  );
  return Object.fromEntries(await Promise.all(bundles));
}
