import { describe, expect, test } from "vitest";
import { findGoneWords } from "../../scripts/check-words.ts";

const wordsOf = (text: string, path = "src/client/any.ts") =>
  findGoneWords(path, text).map(({ word }) => word);

describe("the check of the words", () => {
  test.each([
    ["a payment is settled", "settled"],
    ["if (isSettled(status)) return;", "Settled"],
    ["const settledStatuses = [];", "settled"],
    ["await gateway.idempotency.settle(key, reference);", "settle"],
    ["const standingOf = 1;", "standing"],
    ["it works off what is stored", "works off"],
    ["begins to work it off", "work it off"],
    ["const STANDARD_RETENTION_MS = 1;", "STANDARD_"],
    ["const MOST_BYTES = 1;", "MOST"],
    ["whoever holds the key", "whoever"],
    ["The value is no number.", "is no"],
    ["it reads keys alone", "alone"],
    ["GET /merchant was answered 503", "answered 503"],
    ["`was answered $" + "{status}`", "answered ${"],
    ["tell(hooks.drift, () => drift);", "tell("],
    ["`onError` is told of each", "told"],
    ["@see Service interface, section 4", "Service interface, section"],
    ["the repeat is acknowledged", "the repeat"],
    ["const wayOut = 1;", "wayOut"],
    ["@throws {ConfigurationError} where nothing is given.", "where"],
    ["/** Gives the folder. */", "Gives"],
    ["at most so many bytes", "so many"],
    ["const verdictOf = 1;", "verdict"],
    ["class Refusal {}", "Refusal"],
    ["somebody has to look", "somebody"],
    ["a hook of its own", "of its own"],
    ["const MARKS = [];", "MARKS"],
  ])("finds what is gone: %s", (text, word) => {
    expect(wordsOf(text)).toEqual([word]);
  });

  test.each([
    "await sandbox.deliveries.settled();",
    "await Promise.allSettled(calls);",
    "There is no such delivery.",
    "it is no longer open",
    "the rest is left alone",
    "the customer's answer on the phone",
    "an order of a shop",
    "we will tell you by SMS",
    "duplicates are told apart by their key",
    "deliveries in flight",
    "See RFC 9110, section 10.2.3.",
    "recommended",
    "ON CONFLICT DO NOTHING",
    "the connection was refused",
    "the page says where the key is",
  ])("passes over what is right: %s", (text) => {
    expect(wordsOf(text)).toEqual([]);
  });

  test("names the file, the line, and what to write instead", () => {
    expect(findGoneWords("src/a.ts", "one\na mishap\n")).toEqual([
      { path: "src/a.ts", line: 2, word: "mishap", instead: "fault" },
    ]);
  });

  test("reads the names of files too", () => {
    expect(findGoneWords("src/client/idempotency/settle.ts", "")).toMatchObject([
      { line: 0, word: "settle" },
    ]);
  });

  test("looks for some words only where they are gone", () => {
    expect(wordsOf("const forms = [];", "src/cli/help.ts")).toEqual(["forms"]);
    expect(wordsOf("const forms = [];", "src/sandbox/page/view.ts")).toEqual([]);
  });
});
