import { Gateway } from "malipo";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import { createDialectService, type Dialect } from "../../support/dialects/index.ts";
import { idIn } from "./transcript.ts";

/** The class of an error that a status of HTTP stands for. */
const CODES: Readonly<Record<number, string>> = {
  ...{ 400: "invalid_request", 401: "authentication", 403: "permission", 404: "not_found" },
  ...{ 409: "conflict", 422: "invalid_request", 500: "server" },
};

/** What a client does at a service, and whether each step ends as it should: the names of those that do not. */
export async function clientSteps(dialect: Dialect, profile?: ServiceProfile) {
  const service = createDialectService(dialect, { deliver: async () => new Response() });
  const { baseUrl, keys, fetch } = service;
  const known = profile && { profile: encodeProfile(profile) };
  const gatewayOf = (apiKey: string) =>
    new Gateway({ apiKey, baseUrl, fetch, maxRetries: 0, ...known });
  const gateway = gatewayOf(keys.secret);
  const wrong: string[] = [];
  let steps = 0;
  const step = async <Value>(
    name: string,
    run: () => Promise<Value>,
    isRight: (value: Value) => boolean = () => true,
  ): Promise<Value | undefined> => {
    steps++;
    try {
      const value = await run();
      if (!isRight(value)) wrong.push(name);
      return value;
    } catch (error) {
      wrong.push(`${name}: ${(error as { code?: string }).code ?? error}`);
      return undefined;
    }
  };
  /** The error must have the class of its cause. Without one: any, but the step must not succeed. */
  const rejected = async (name: string, run: () => Promise<unknown>, code?: string) => {
    steps++;
    const found = await run().then(
      () => "success",
      (error: { code?: string }) => error.code ?? "none",
    );
    if (found === "success" || (code !== undefined && found !== code)) {
      wrong.push(`${name}: ${found} in the place of ${code}`);
    }
  };
  /** A service with an own status for a cause is understood by it. */
  const codeOf = (cause: "unknownId" | "unknownKey", usual: number) =>
    CODES[dialect.rejections[cause]] ?? CODES[usual];

  const phone = "254712345678";
  const started = await step("initiate", () => gateway.mobileMoney.initiate({ amount: 50, phone }));
  const reference = started?.reference ?? "none";
  const statusIs = (status: string) => (payment: { status: string }) => payment.status === status;
  await step("pending", () => gateway.payments.get(reference), statusIs("pending"));
  service.answer(phone, "approve");
  await step("completed", () => gateway.payments.get(reference), statusIs("completed"));
  await step("initiate, generic", () => gateway.payments.initiate({ amount: 60, phone }));
  service.answer(phone, "cancel");
  const created = await step("create", () =>
    gateway.invoices.create({ amount: 10, description: "Goods" }),
  );
  const id = idIn(JSON.stringify(created ?? {}), dialect, "invoice");
  await step("read", () => gateway.invoices.get(id));
  await step("update", () => gateway.invoices.update(id, { amount: 12 }));
  await step("register", () =>
    gateway.webhooks.register({
      name: "shop",
      url: "https://shop.example",
      events: ["payment.completed"],
    }),
  );
  const has = (count: number) => (page: { items: readonly unknown[] }) =>
    page.items.length === count;
  await step("payments", () => gateway.payments.list(), has(2));
  await step("invoices", () => gateway.invoices.list(), has(1));
  await step("webhooks", () => gateway.webhooks.list(), has(1));
  await step("accounts", () => gateway.merchant.paymentAccounts(), has(1));
  await step("merchant", () => gateway.merchant.get());
  await step("phone", () => gateway.mobileMoney.validatePhone(phone));
  await step("delete", () => gateway.invoices.delete(id));
  await rejected("deleted", () => gateway.invoices.get(id), codeOf("unknownId", 404));
  await rejected(
    "unknown key",
    () => gatewayOf("sk_unknown_key_00000").merchant.get(),
    codeOf("unknownKey", 401),
  );
  await rejected("too much", () => gateway.mobileMoney.initiate({ amount: 250_001, phone }));
  return { steps, wrong };
}
