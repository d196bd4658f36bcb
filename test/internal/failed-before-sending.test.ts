import { describe, expect, test } from "vitest";
import { failedBeforeSending } from "../../src/internal/failed-before-sending.ts";
import { gatewayWith, rejection } from "../client/support/gateway.ts";
import { fail } from "../client/support/responses.ts";

const failure = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

/** What Node's `fetch` rejects with. */
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

/** What Node reports if a host has several addresses, and each was tried. */
const each = (...errors: Error[]) =>
  fetchFailed(Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" }));

const round: { code?: string; cause?: unknown } = {};
round.cause = round;

const NOT_SENT: [string, unknown][] = [
  ["a refused connection", fetchFailed(failure("ECONNREFUSED", "connect"))],
  ["a name that does not resolve", fetchFailed(failure("ENOTFOUND", "getaddrinfo"))],
  ["a name server that does not answer", fetchFailed(failure("EAI_AGAIN", "getaddrinfo"))],
  ["a connection that took too long to open", fetchFailed(failure("UND_ERR_CONNECT_TIMEOUT"))],
  ["a connection that the system gave up opening", fetchFailed(failure("ETIMEDOUT", "connect"))],
  ["a host without a route", fetchFailed(failure("EHOSTUNREACH", "connect"))],
  ["a network without a route", fetchFailed(failure("ENETUNREACH", "connect"))],
  ["a connection refused at all addresses", each(failure("ECONNREFUSED"), failure("ECONNREFUSED"))],
  [
    "no address reached, each for its own reason",
    each(failure("ECONNREFUSED", "connect"), failure("ENETUNREACH", "connect")),
  ],
  ["a refused connection, as Bun reports it", failure("ConnectionRefused")],
  ["a refused connection, as an error without a wrapping", failure("ECONNREFUSED", "connect")],
  [
    "a connection for which the process has no file left",
    fetchFailed(failure("EMFILE", "connect")),
  ],
  [
    "a connection for which the machine has no file left",
    fetchFailed(failure("ENFILE", "connect")),
  ],
  ["a reset before the connection was open", fetchFailed(failure("ECONNRESET", "connect"))],
  ["a name server that fails", fetchFailed(failure("EAI_FAIL", "getaddrinfo"))],
  ["a certificate of an unknown issuer", fetchFailed(failure("UNABLE_TO_GET_ISSUER_CERT_LOCALLY"))],
  ["a certificate without its chain", fetchFailed(failure("UNABLE_TO_VERIFY_LEAF_SIGNATURE"))],
  ["a proxy whose certificate is wrong", fetchFailed(failure("UND_ERR_PRX_TLS"))],
  ["a refused connection, wrapped twice", fetchFailed(fetchFailed(failure("ECONNREFUSED")))],
];

const UNKNOWN: [string, unknown][] = [
  ["a reset", fetchFailed(failure("ECONNRESET", "read"))],
  ["a broken pipe", fetchFailed(failure("EPIPE", "write"))],
  ["a connection closed by the other side", fetchFailed(failure("UND_ERR_SOCKET"))],
  ["an answer that took too long to begin", fetchFailed(failure("UND_ERR_HEADERS_TIMEOUT"))],
  ["an answer that took too long to end", fetchFailed(failure("UND_ERR_BODY_TIMEOUT"))],
  ["an open connection that timed out", fetchFailed(failure("ETIMEDOUT", "read"))],
  ["an open connection whose host was lost", fetchFailed(failure("EHOSTUNREACH", "write"))],
  ["an open connection whose network was lost", fetchFailed(failure("ENETUNREACH"))],
  [
    "one address of two that may have been reached",
    each(failure("ECONNREFUSED"), failure("ECONNRESET")),
  ],
  ["a reset that may be one of a handshake", fetchFailed(failure("ECONNRESET"))],
  ["a record that is none of TLS", fetchFailed(failure("ERR_SSL_WRONG_VERSION_NUMBER"))],
  ["a request that undici aborted", fetchFailed(failure("UND_ERR_ABORTED"))],
  ["a file that the process may not open", fetchFailed(failure("EMFILE", "open"))],
  ["a failure with no code", new TypeError("Failed to fetch")],
  ["a failure whose code is not a text", Object.assign(new Error("odd"), { code: 61 })],
  ["several failures that are none", fetchFailed({ errors: [] })],
  ["a cause that goes round", round],
  ["a text", "ECONNREFUSED"],
  ["null", null],
  ["undefined", undefined],
];

describe("nothing was sent after", () => {
  test.each(NOT_SENT)("%s", async (_, error) => {
    expect(failedBeforeSending(error)).toBe(true);
    const { gateway } = gatewayWith([fail(error)], { maxRetries: 0 });
    expect(await rejection(gateway.invoices.create({}))).toMatchObject({
      code: "connection",
      outcome: "not_sent",
    });
  });
});

describe("it may have happened after", () => {
  test.each(UNKNOWN)("%s", async (_, error) => {
    expect(failedBeforeSending(error)).toBe(false);
    const { gateway, sent } = gatewayWith([fail(error)]);
    expect(await rejection(gateway.invoices.create({}))).toMatchObject({
      code: "connection",
      outcome: "unknown",
    });
    expect(sent).toHaveLength(1);
  });
});
