/** What is missing in jsdom, in which Jest runs the tests of a page. */
export const missingGlobal = (name: string): string =>
  `This JavaScript environment has no ${name}, which malipo needs. In Jest, begin the test file with the comment /** @jest-environment node */.`;

/** jsdom hides the classes of Node, which `node:util` has too. They are looked up at each use: loading needs none. */
function textClass<Name extends "TextEncoder" | "TextDecoder">(name: Name) {
  const found = globalThis[name] ?? globalThis.process?.getBuiltinModule?.("node:util")?.[name];
  if (found === undefined) throw new Error(missingGlobal(name));
  return found;
}

/** The bytes of a text, as UTF-8. */
export const encodeText = (text: string): Uint8Array<ArrayBuffer> =>
  new (textClass("TextEncoder"))().encode(text);

/** What makes a text of bytes that are UTF-8. */
export const textDecoder = (
  options?: ConstructorParameters<typeof TextDecoder>[1],
): InstanceType<typeof TextDecoder> => new (textClass("TextDecoder"))("utf-8", options);
