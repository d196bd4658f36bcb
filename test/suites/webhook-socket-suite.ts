import { describe, expect, test } from "vitest";
import { eventOf, LIMIT } from "./webhook-http-cases.ts";
import { breakOff, PATH, pour, say } from "./webhook-mount.ts";
import { BODY, HEX, hmac } from "./webhook-sample.ts";
import { type Stage, signed } from "./webhook-stage.ts";

/** The head of a signed request. */
const head = (...lines: string[]) =>
  [
    `POST ${PATH} HTTP/1.1`,
    "Host: shop.test",
    "Content-Type: application/json",
    `X-Service-Signature: ${HEX}`,
    ...lines,
    "\r\n",
  ].join("\r\n");

const hasResponse = (heard: string) => /^HTTP\/1\.1 [\s\S]*\r\n\r\n[\s\S]*\}/.test(heard);
const statusOf = (heard: string) => Number(heard.split(" ")[1]);
const chunk = (length: number) => `${length.toString(16)}\r\n${"x".repeat(length)}\r\n`;

/** Requests that no client library sends, as bytes on a socket. */
export function testSockets(stage: Stage): void {
  const { place } = stage;

  async function expectAlive() {
    stage.receive();
    expect((await stage.deliver(signed(BODY))).status).toBe(200);
  }

  describe("over a socket", () => {
    const endless = [
      ["no Content-Length", head("Transfer-Encoding: chunked") + chunk(LIMIT) + chunk(200_000)],
      ["one that promises more", head("Content-Length: 999999999") + "x".repeat(200_000)],
    ];
    // A parser before the receiver has another limit.
    for (const [framing, part = ""] of place.parser ? [] : endless) {
      test(`a sender that never ends gets its response at the limit, with ${framing}: 413`, async () => {
        stage.receive({ maxBodyBytes: LIMIT });
        expect(statusOf(await say(stage.port, [part], hasResponse))).toBe(413);
        expect(stage.stored).toEqual([]);
        await expectAlive();
      });
    }

    const unread: [name: string, status: number, request: string][] = [
      ["a Content-Length that is too large", 413, head("Content-Length: 999999999")],
      [
        "no signature",
        401,
        head("Content-Length: 9").replace(`X-Service-Signature: ${HEX}`, "X: y"),
      ],
      ["a signature of other digits", 401, head("Content-Length: 9").replace(HEX, "abc")],
      ["a stop", 503, head("Content-Length: 9")],
    ];
    for (const [name, status, request] of place.parser ? [] : unread) {
      test(`${name} is rejected before the body is read: ${status}`, async () => {
        const receiver = stage.receive({ maxBodyBytes: LIMIT });
        if (status === 503) await receiver.stop();
        expect(statusOf(await say(stage.port, [request], hasResponse))).toBe(status);
        expect(stage.onError).toHaveBeenCalledTimes(status === 401 ? 1 : 0);
        await expectAlive();
      });
    }

    test.runIf(!place.parser)("a body without end is not read without end", async () => {
      stage.receive({ maxBodyBytes: LIMIT });
      const parts = [head("Content-Length: 999999999")];
      await pour(stage.port, parts);
      await expectAlive();
    });

    test("a Content-Length that is too small cuts the body: not accepted", async () => {
      stage.receive();
      const parts = [head(`Content-Length: ${BODY.length - 1}`, "Connection: close"), BODY];
      expect([400, 401]).toContain(statusOf(await say(stage.port, parts)));
      expect(stage.stored).toEqual([]);
      await expectAlive();
    });

    test.each([
      ["Content-Length", "reset"],
      ["Content-Length", "leave"],
      ["Transfer-Encoding", "reset"],
      ["Transfer-Encoding", "leave"],
    ] as const)("a body that breaks off is not accepted (%s, %s)", async (framing, how) => {
      stage.receive();
      const parts =
        framing === "Content-Length"
          ? [head(`Content-Length: ${BODY.length + 1}`), BODY]
          : [head("Transfer-Encoding: chunked"), `${BODY.length.toString(16)}\r\n`, BODY, "\r\n"];
      await breakOff(stage.port, parts, how);
      // The next request is served, and the half body was not accepted.
      expect((await stage.deliver(signed(eventOf(60)))).status).toBe(200);
      expect(stage.stored.map(({ event }) => event)).toEqual(["a"]);
      expect(stage.onError).not.toHaveBeenCalled();
    });

    test("a sender of one byte at a time is served", async () => {
      stage.receive();
      const body = eventOf(60);
      const lines = head(`Content-Length: ${body.length}`).replace(HEX, hmac(body));
      const parts = [lines, ...Array.from(body, (_, at) => body.subarray(at, at + 1))];
      expect(statusOf(await say(stage.port, parts, hasResponse))).toBe(200);
      expect(stage.stored.map(({ raw }) => Buffer.from(raw))).toEqual([Buffer.from(body)]);
    });

    test("a signature of a megabyte is rejected, and the next request accepted", async () => {
      stage.receive();
      const parts = [head("Content-Length: 0").replace(HEX, "a".repeat(2 ** 20))];
      expect([0, 431]).toContain(statusOf(await say(stage.port, parts)) || 0);
      expect(stage.stored).toEqual([]);
      await expectAlive();
    });

    test("requests on one connection are told apart", async () => {
      stage.receive();
      const one = [head(`Content-Length: ${BODY.length}`), BODY];
      const last = [head(`Content-Length: ${BODY.length}`, "Connection: close"), BODY];
      const heard = await say(stage.port, [...one, ...one, ...last]);
      expect(heard.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
      expect(stage.stored).toHaveLength(3);
    });
  });
}
