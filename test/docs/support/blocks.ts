import { readFileSync } from "node:fs";

/** The code blocks of a page in one language. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(
    ([, name, text = ""]) => (name === language ? [text] : []),
  );

/** The examples in the docstrings of a source file. */
export const docstringExamples = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)].map(
    ([, lines = ""]) => lines.replace(/^ *\* ?/gm, ""),
  );
