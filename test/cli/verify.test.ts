import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyMismatch } from "../../src/cli/diagnosis/why-mismatch.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { type Given, malipo } from "./command-line.ts";

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
  more: Given = {},
) =>
  malipo(["verify", "-", "--signature", signature, "--secret", SECRET, "--json", ...flags], {
    input,
    ...more,
  });

describe.concurrent("malipo sign and verify", () => {
  // Not UTF-8, a byte order mark, no bytes at all, line ends of every kind.
  test.for([
    ["text", Buffer.from(BODY)],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x0a])],
    ["a byte order mark", Buffer.from(`\uFEFF${BODY}`)],
    ["nothing", Buffer.alloc(0)],
    ["line ends", Buffer.from("a\r\nb\n\r")],
  ] as const)("take the raw bytes, of a file or sent in: %s", async ([name, bytes], { expect }) => {
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
  });

  test("agree: genuine is exit 0, with the event", async ({ expect }) => {
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

  test("try every secret that is given, as in a rotation", async ({ expect }) => {
    const { code } = await verify(BODY, sign(BODY, "old"), ["--secret", "old"]);
    expect(code).toBe(EXIT.ok);
  });

  test("say what is missing", async ({ expect }) => {
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
    expect(noSignature.stderr).toContain("--signature is missing");
    expect(noFile.stderr).toContain("there is no such file");
    expect(aFolder.stderr).toContain("it is a folder");
  });
});

describe.concurrent("malipo verify says why not", () => {
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
    ["signature_mismatch", 401, BODY, sign(BODY, "other"), [], /Another secret signed it/],
    ["signature_mismatch", 401, "", sign(BODY), [], /empty/],
    ["timestamp_out_of_range", 401, BODY, sign(BODY), ["--max-age", "300"], /s old.*replay/s],
    ["payload_invalid", 400, "{", sign("{"), [], /no JSON/],
    ["payload_invalid", 400, "[]", sign("[]"), [], /no object/],
    ["payload_invalid", 400, '{"data":{}}', sign('{"data":{}}'), [], /`event` is no string/],
    ["payload_invalid", 400, '{"event":"x"}', sign('{"event":"x"}'), [], /`data` is no object/],
    [
      "payload_invalid",
      400,
      '{"event":"x","data":{}}',
      sign('{"event":"x","data":{}}'),
      ["--max-age", "300"],
      /no ISO 8601/,
    ],
  ] as const)("%s (%i): %j", async ([code, status, body, signature, flags, why], { expect }) => {
    const told = await verify(body, signature, [...flags]);
    expect(told.code).toBe(EXIT.failed);
    expect(told.json()).toMatchObject({
      genuine: false,
      code,
      status,
      why: expect.stringMatching(why),
    });
    const args = ["verify", "--signature", signature, "--secret", SECRET, ...flags];
    const words = await malipo(args, { input: body });
    expect(words.code).toBe(EXIT.failed);
    expect(words.stdout).toContain(code);
    expect(words.stdout).toMatch(why);
  });

  test("payload_invalid: where bytes stop being UTF-8", async ({ expect }) => {
    const body = Buffer.concat([Buffer.from('{"event":"é'), Buffer.from([0xc3, 0x28])]);
    const { json } = await verify(body, sign(body));
    expect(json()).toMatchObject({ code: "payload_invalid" });
    expect(json().why).toContain("its byte 12 (0xc3) cannot stand there");
  });

  test("signature_mismatch: the accident that explains it", async ({ expect }) => {
    const { code, json } = await verify(`${BODY}\n`, sign(BODY));
    expect([code, json().code]).toEqual([EXIT.failed, "signature_mismatch"]);
    expect(json().why).toContain("ends with a line end that was not signed");
  });
});

describe("a mismatch is explained", () => {
  const lines = '{\n  "a": 1\n}\n';
  test.each([
    ["a line end too many", `${BODY}\r\n`, sign(BODY), /ends with a line end/],
    ["a line end lost", BODY, sign(`${BODY}\n`), /lost a line end/],
    ["a byte order mark too many", `\uFEFF${BODY}`, sign(BODY), /begins with a byte order mark/],
    ["a byte order mark lost", BODY, sign(`\uFEFF${BODY}`), /lost a byte order mark/],
    ["LF made CRLF", lines.replaceAll("\n", "\r\n"), sign(lines), /from LF to CRLF/],
    ["CRLF made LF", lines, sign(lines.replaceAll("\n", "\r\n")), /from CRLF to LF/],
    ["made pretty", JSON.stringify(EVENT, null, 2), sign(BODY), /written anew/],
    ["made compact", BODY, sign(JSON.stringify(EVENT, null, 4)), /written anew/],
    ["Python", BODY, sign('{"event": "x", "data": [1, {}]}'), undefined],
    [
      "Python's own",
      '{"event":"x","data":[1,{}]}',
      sign('{"event": "x", "data": [1, {}]}'),
      /written anew/,
    ],
    ["PHP's own", '{"a":"é/"}', sign('{"a":"\\u00e9\\/"}'), /written anew/],
    ["no JSON", "<a>", sign("<b>"), undefined],
  ] as const)("%s", (_, body, signature, why) => {
    const found = whyMismatch(Buffer.from(body), [SECRET], signature);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(why);
  });

  test.each([
    ["white space", ` ${SECRET}\n`, sign(BODY), /white space/],
    ["quotes", `"${SECRET}"`, sign(BODY), /quotes/],
    ["a line end at the sender's", SECRET, sign(BODY, `${SECRET}\n`), /line end after it/],
    ["the prefix left out", SECRET, sign(BODY, "test"), /less its prefix/],
    ["another one", "other", sign(BODY), undefined],
  ] as const)("by the secret: %s", (_, secret, signature, why) => {
    const found = whyMismatch(Buffer.from(BODY), ["first", secret], signature);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(why);
  });

  test("by two accidents at once", () => {
    const found = whyMismatch(Buffer.from(`${BODY}\n`), [`${SECRET} `], sign(BODY));
    expect(found).toMatch(/white space.*ends with a line end/);
  });

  test("and a body of any bytes does no harm", () => {
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    expect(whyMismatch(bytes, [SECRET], sign(""))).toBeUndefined();
    const deep = Buffer.from("[".repeat(50_000) + "]".repeat(50_000));
    expect(whyMismatch(deep, [SECRET], sign(""))).toBeUndefined();
  });
});
