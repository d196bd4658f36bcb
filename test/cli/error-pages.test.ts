import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CliError, ERROR_PAGES, errorFields } from "../../src/cli/cli-error.ts";
import { TimeoutError } from "../../src/errors/connection.ts";

describe("an error of the command line", () => {
  test("names the page of the manual about it", () => {
    const error = new TimeoutError("No response within 1 s.", "unknown", 1_000);
    expect(errorFields(error, undefined).page).toBe("docs/guides/timeouts.md");
  });

  test("names none if its message says it all, or if it is the command that found nothing", () => {
    for (const code of ["usage", "not_found"]) {
      expect(errorFields(new CliError(code, "No."), undefined)).not.toHaveProperty("page");
    }
  });

  test.each(Object.entries(ERROR_PAGES))(
    "of the code %s names a page that is there: %s",
    (_, page) => {
      expect(existsSync(page)).toBe(true);
    },
  );
});
