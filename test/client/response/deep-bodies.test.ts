import { isGatewayError } from "malipo";
import { describe, expect, test } from "vitest";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { EMPTY_PROFILE } from "../../../src/profile/profile-types.ts";
import { deepBodies } from "../../support/deep-bodies.ts";
import { gatewayWith } from "../support/gateway.ts";
import { text } from "../support/responses.ts";

/** Calls of each kind: a list, a read, a write, and one that creates. */
const CALLS = ["payments.list", "payments.get", "invoices.create", "mobileMoney.initiate"] as const;

describe.each(deepBodies("data"))("a body of %s that nests 50,000 levels deep", (_, body) => {
  test.each([200, 422, 500])(
    "with the status %d is a result or an error of the client",
    async (status) => {
      for (const name of CALLS) {
        const { gateway } = gatewayWith([text(body, { status })], {
          maxRetries: 0,
          hooks: { drift: () => {} },
          profile: encodeProfile(EMPTY_PROFILE),
        });
        const calls = {
          "payments.list": () => gateway.payments.list(),
          "payments.get": () => gateway.payments.get("PAY-1"),
          "invoices.create": () => gateway.invoices.create({ amount: 1 }),
          "mobileMoney.initiate": () =>
            gateway.mobileMoney.initiate({ amount: 1, phone: "0712345678" }),
        };
        const thrown = await calls[name]().then(
          () => undefined,
          (error: unknown) => error,
        );
        if (thrown !== undefined) expect(isGatewayError(thrown)).toBe(true);
      }
    },
  );
});
