import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainMismatch } from "../../src/cli/diagnosis/explain-mismatch.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import type { Surroundings } from "./command-line.ts";
import { malipo } from "./in-process.ts";

const SECRET = "whsec_test";
const EVENT = {
  event: "payment.completed",
  timestamp: "2026-01-01T09:00:00+03:00",
  data: { note: "é/", amount: "100.00" },
};
const BODY = JSON.stringify(EVENT);

const sign = (body: string | Uint8Array, secret = SECRET) =>
  createHmac("sha256", secret).update(body).digest("hex");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "malipo-verify-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verify = (
  input: string | Uint8Array,
  signature: string,
  flags: string[] = [],
  surroundings: Surroundings = {},
) =>
  malipo(["verify", "-", "--signature", signature, "--secret", SECRET, "--json", ...flags], {
    input,
    ...surroundings,
  });

describe.concurrent("malipo sign and verify", () => {
  // Invalid UTF-8, a byte order mark, no bytes, and every kind of line ending.
  test.for([
    ["text", Buffer.from(BODY)],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x0a])],
    ["a byte order mark", Buffer.from(`\uFEFF${BODY}`)],
    ["no bytes", Buffer.alloc(0)],
    ["line endings", Buffer.from("a\r\nb\n\r")],
  ] as const)(
    "use the raw bytes of a file or of standard input: %s",
    async ([name, bytes], { expect }) => {
      const path = join(folder, `${name}.bin`);
      writeFileSync(path, bytes);
      const env = { MALIPO_WEBHOOK_SECRET: SECRET };
      const runs = await Promise.all([
        malipo(["sign", path, "--secret", SECRET]),
        malipo(["sign", "-"], { input: bytes, env }),
        malipo(["sign"], { input: bytes, env }),
      ]);
      for (const { code, stdout } of runs) {
        expect([code, stdout]).toEqual([EXIT.ok, `${sign(bytes)}\n`]);
      }
      const { json } = await malipo(["sign", path, "--secret", SECRET, "--json"]);
      expect(json()).toEqual({
        header: "X-Service-Signature",
        signature: sign(bytes),
        bytes: bytes.length,
      });
    },
  );

  test("agree: verify exits with 0 and prints the event", async ({ expect }) => {
    for (const signature of [
      sign(BODY),
      `sha256=${sign(BODY)}`,
      `X-Service-Signature: ${sign(BODY)}`,
    ]) {
      const { code, json } = await verify(BODY, signature);
      expect(code).toBe(EXIT.ok);
      expect(json()).toEqual({ genuine: true, bytes: Buffer.byteLength(BODY), event: EVENT });
    }
  });

  test("try every secret that is given, for rotation", async ({ expect }) => {
    const { code } = await verify(BODY, sign(BODY, "old"), ["--secret", "old"]);
    expect(code).toBe(EXIT.ok);
  });

  test("say what is missing or invalid", async ({ expect }) => {
    const [noSecret, noSignature, noFile, aFolder, oddAge, empty] = await Promise.all([
      malipo(["sign", "-"], { input: BODY }),
      malipo(["verify", "-", "--secret", SECRET], { input: BODY }),
      malipo(["sign", join(folder, "none"), "--secret", SECRET]),
      malipo(["sign", folder, "--secret", SECRET]),
      verify(BODY, sign(BODY), ["--max-age", "soon"]),
      verify(BODY, sign(BODY), ["--secret="]),
    ]);
    for (const { code } of [noSecret, noSignature, noFile, aFolder, oddAge, empty]) {
      expect(code).toBe(EXIT.usage);
    }
    expect(noSignature.stderr).toContain("--signature is required");
    expect(noFile.stderr).toContain("no such file");
    expect(aFolder.stderr).toContain("it is a directory");
  });
});

describe.concurrent("malipo verify explains a rejection", () => {
  test.for([
    ["signature_malformed", 401, BODY, "abc", [], /has 3 characters/],
    [
      "signature_malformed",
      401,
      BODY,
      Buffer.from(sign(BODY), "hex").toString("base64"),
      [],
      /base64/,
    ],
    ["signature_mismatch", 401, BODY, sign(BODY, "other"), [], /signed with another secret/],
    ["signature_mismatch", 401, "", sign(BODY), [], /empty/],
    ["timestamp_out_of_range", 401, BODY, sign(BODY), ["--max-age", "300"], /s old.*replay/s],
    ["payload_invalid", 400, "{", sign("{"), [], /not valid JSON/],
    ["payload_invalid", 400, "[]", sign("[]"), [], /not an object/],
    ["payload_invalid", 400, '{"data":{}}', sign('{"data":{}}'), [], /`event` is not a string/],
    ["payload_invalid", 400, '{"event":"x"}', sign('{"event":"x"}'), [], /`data` is not an object/],
    [
      "payload_invalid",
      400,
      '{"event":"x","data":{}}',
      sign('{"event":"x","data":{}}'),
      ["--max-age", "300"],
      /not an ISO 8601/,
    ],
  ] as const)("%s (%i): %j", async ([code, status, body, signature, flags, why], { expect }) => {
    const asJson = await verify(body, signature, [...flags]);
    expect(asJson.code).toBe(EXIT.failed);
    expect(asJson.json()).toMatchObject({
      genuine: false,
      code,
      status,
      why: expect.stringMatching(why),
    });
    const args = ["verify", "--signature", signature, "--secret", SECRET, ...flags];
    const text = await malipo(args, { input: body });
    expect(text.code).toBe(EXIT.failed);
    expect(text.stdout).toContain(code);
    expect(text.stdout).toMatch(why);
  });

  test("payload_invalid: says which byte is not valid UTF-8", async ({ expect }) => {
    const body = Buffer.concat([Buffer.from('{"event":"é'), Buffer.from([0xc3, 0x28])]);
    const { json } = await verify(body, sign(body));
    expect(json()).toMatchObject({ code: "payload_invalid" });
    expect(json().why).toContain("byte 12 (0xc3) is invalid");
  });

  test("signature_mismatch: names the cause", async ({ expect }) => {
    const { code, json } = await verify(`${BODY}\n`, sign(BODY));
    expect([code, json().code]).toEqual([EXIT.failed, "signature_mismatch"]);
    expect(json().why).toContain("ends with a line break that was not signed");
  });
});

describe("the cause of a mismatch", () => {
  const lines = '{\n  "a": 1\n}\n';
  test.each([
    ["an added line break", `${BODY}\r\n`, sign(BODY), /ends with a line break/],
    ["a lost line break", BODY, sign(`${BODY}\n`), /with a line break at its end/],
    ["an added byte order mark", `\uFEFF${BODY}`, sign(BODY), /begins with a byte order mark/],
    ["a lost byte order mark", BODY, sign(`\uFEFF${BODY}`), /with a byte order mark/],
    ["LF changed to CRLF", lines.replaceAll("\n", "\r\n"), sign(lines), /from LF to CRLF/],
    ["CRLF changed to LF", lines, sign(lines.replaceAll("\n", "\r\n")), /from CRLF to LF/],
    ["indented", JSON.stringify(EVENT, null, 2), sign(BODY), /re-serialised/],
    ["indentation removed", BODY, sign(JSON.stringify(EVENT, null, 4)), /re-serialised/],
    ["another body", BODY, sign('{"event": "x", "data": [1, {}]}'), undefined],
    [
      "the spaces of Python",
      '{"event":"x","data":[1,{}]}',
      sign('{"event": "x", "data": [1, {}]}'),
      /re-serialised/,
    ],
    ["the escapes of PHP", '{"a":"é/"}', sign('{"a":"\\u00e9\\/"}'), /re-serialised/],
    ["not JSON", "<a>", sign("<b>"), undefined],
  ] as const)("%s", (_, body, signature, why) => {
    const found = explainMismatch(Buffer.from(body), [SECRET], signature);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(why);
  });

  test.each([
    ["white space", ` ${SECRET}\n`, sign(BODY), /white space/],
    ["quotes", `"${SECRET}"`, sign(BODY), /quotes/],
    [
      "a line break in the sender's secret",
      SECRET,
      sign(BODY, `${SECRET}\n`),
      /line break at its end/,
    ],
    ["no prefix", SECRET, sign(BODY, "test"), /without its prefix/],
    ["another secret", "other", sign(BODY), undefined],
  ] as const)("in the secret: %s", (_, secret, signature, why) => {
    const found = explainMismatch(Buffer.from(BODY), ["first", secret], signature);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(why);
  });

  test("may be two causes at once", () => {
    const found = explainMismatch(Buffer.from(`${BODY}\n`), [`${SECRET} `], sign(BODY));
    expect(found).toMatch(/white space.*ends with a line break/);
  });

  test("is unknown for other bytes, and for JSON that is nested very deep", () => {
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    expect(explainMismatch(bytes, [SECRET], sign(""))).toBeUndefined();
    const deep = Buffer.from("[".repeat(50_000) + "]".repeat(50_000));
    expect(explainMismatch(deep, [SECRET], sign(""))).toBeUndefined();
  });
});
