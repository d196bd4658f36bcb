import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { interfacesText, PATH } from "../../scripts/contract-fields.ts";

test("the fields of the OpenAPI document are those of the contract's interfaces", () => {
  expect(readFileSync(PATH, "utf8")).toBe(interfacesText());
});
