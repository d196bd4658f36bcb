import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { IDS, minimalBody, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { json, status, text } from "../support/responses.ts";

describe("withResponse()", () => {
  test.each(ROWS)(
    "of $name resolves with its data, the HTTP response and the whole body",
    async (row) => {
      const answer = minimalBody(row);
      const init = { status: 201, headers: { "x-request-id": "r_1" } };
      const { gateway, sent } = gatewayWith([json(answer, init)]);
      const result = row.call(gateway, IDS);
      const { data, response, body } = await result.withResponse();
      expect(response).toBeInstanceOf(Response);
      expect(response.status).toBe(201);
      expect(response.headers.get("X-Request-Id")).toBe("r_1");
      expect(body).toEqual(answer);
      expect(data).toBe(await result);
      expect(sent).toHaveLength(1);
    },
  );

  test("has the body undefined for an empty body", async () => {
    const { gateway } = gatewayWith([text(null, { status: 204 })]);
    const { data, body } = await gateway.invoices.delete(1).withResponse();
    expect([data, body]).toEqual([{}, undefined]);
  });

  test("rejects as the call does", async () => {
    const { gateway } = gatewayWith([status(404)]);
    const result = gateway.invoices.get(1);
    const error = await rejection(result.withResponse());
    expect(error).toMatchObject({ code: "not_found" });
    expect(await rejection(result)).toBe(error);
  });

  test("rejects as the call does if the parameters of gateway.request are wrong", async () => {
    const { gateway } = gatewayWith([json({})]);
    const result = gateway.request({ method: "GET", path: "no slash" });
    expect(await rejection(result.withResponse())).toMatchObject({ code: "invalid_params" });
  });
});

test("a result is a promise, with then, catch and finally", async () => {
  const { gateway } = gatewayWith([json({ data: { id: 1 } })]);
  const result = gateway.invoices.get(1);
  expect(result).toBeInstanceOf(Promise);
  const ended = vi.fn();
  await expect(result.then(({ id }) => id).finally(ended)).resolves.toBe(1);
  expect(ended).toHaveBeenCalledOnce();
});

describe("a failure that is not handled", () => {
  const unhandled = vi.fn<(reason: unknown) => void>();
  const before = process.listeners("unhandledRejection");
  beforeEach(() => {
    unhandled.mockReset();
    // The runner's own listener would fail the run.
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", unhandled);
  });
  afterEach(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  });
  const afterRejections = () => new Promise((resolve) => setTimeout(resolve, 20));

  test("is reported once", async () => {
    const { gateway } = gatewayWith([status(404)]);
    void gateway.invoices.get(1);
    await afterRejections();
    expect(unhandled.mock.calls).toEqual([
      [expect.objectContaining({ code: "not_found" }), expect.any(Promise)],
    ]);
  });

  test("is reported once by withResponse() too", async () => {
    const { gateway } = gatewayWith([status(404)]);
    void gateway.invoices.get(1).withResponse();
    await afterRejections();
    expect(unhandled.mock.calls).toEqual([
      [expect.objectContaining({ code: "not_found" }), expect.any(Promise)],
    ]);
  });

  test("is not reported if the result is handled, or its withResponse() is", async () => {
    const { gateway } = gatewayWith([status(404)]);
    await gateway.invoices.get(1).catch(() => {});
    await gateway.invoices
      .get(1)
      .withResponse()
      .catch(() => {});
    const both = gateway.invoices.get(1);
    await Promise.allSettled([both, both.withResponse()]);
    await afterRejections();
    expect(unhandled).not.toHaveBeenCalled();
  });
});
