import { readFileSync } from "node:fs";

/** The code blocks of a page in one language. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, name, text = ""]) => (name === language ? [text] : []),
  );
