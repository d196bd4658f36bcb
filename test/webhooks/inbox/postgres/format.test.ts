import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDelivery, receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { expectEventsToGoOn, expectNewKindToGoOn } from "../../../suites/inbox-stored-data.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { ALL } from "../sqlite/stored-data/fill.ts";
import { freshSchema, pace, query, storedData, tablesOf } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const SIGNED_AT = 1_767_312_245_000;

/** A schema with the data of a format, as the version that wrote it left it. */
async function load(format: string): Promise<string> {
  const schema = freshSchema();
  await query(url, storedData(format, schema));
  return schema;
}

/** The columns and the indexes of the tables. */
const schemaOf = async (schema: string) => [
  ...(await query(
    url,
    `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
     WHERE table_schema = $1 ORDER BY table_name, ordinal_position`,
    [schema],
  )),
  ...(
    await query(url, "SELECT indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY 1", [schema])
  ).map(({ indexdef }) => indexdef.replaceAll(`${schema}.`, "")),
];

describe.skipIf(engine === undefined)("postgresInbox: the format of what is stored", () => {
  stopAll();

  describe("is pinned by golden values", () => {
    const schema = freshSchema();
    const inbox = postgresInbox({ connectionString: url, schema, pace });
    beforeAll(async () => {
      const delivery = newDelivery(1, {
        signedAt: SIGNED_AT,
        traceContext: { traceparent: "00-a" },
        source: "read",
      });
      await inbox.accept(delivery);
      await inbox.accept(newDelivery(2, { signedAt: SIGNED_AT, deadLetterReason: "too old" }));
      await inbox.accept(newDelivery(1, { signedAt: SIGNED_AT, digest: "f".repeat(64) }));
      await inbox.doublePayments?.add(ALL.double);
    });
    afterAll(() => inbox.stop(100));

    test("of its tables", async () => {
      expect(await schemaOf(schema)).toEqual(await schemaOf(await load("1")));
      const names = "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1";
      expect((await query(url, names, [schema])).map(({ name }) => name)).toEqual([
        "inbox",
        "inbox_conflicts",
        "inbox_double_payments",
        "inbox_meta",
      ]);
    });

    test("of one record of each kind", async () => {
      const { events, conflicts, doubles, meta } = tablesOf(schema);
      const columns = `encode(key, 'hex') AS key, encode(digest, 'hex') AS digest, kind, convert_from(raw, 'UTF8') AS raw,
        secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state`;
      const { key, signature } = newDelivery(1);
      const common = {
        kind: "payment.completed",
        secret_index: "0",
        received_at: "1767312245001",
        signed_at: "1767312245000",
        signature,
        trace_context: null,
        source: null,
        forget_at: null,
      };
      const first = '{"event":"payment.completed","data":{"number":1}}';
      const more = "queue, token, attempts, error";
      const rows = await query(url, `SELECT ${columns}, ${more} FROM ${events} ORDER BY 1`);
      const more1 = { queue: "payment.completed", token: null, attempts: "0" };
      expect(rows).toEqual([
        {
          ...common,
          ...more1,
          key,
          digest: key,
          raw: first,
          trace_context: '{"traceparent":"00-a"}',
          source: "read",
          state: "pending",
          error: null,
        },
        {
          ...common,
          ...more1,
          key: newDelivery(2).key,
          digest: newDelivery(2).key,
          raw: '{"event":"payment.completed","data":{"number":2}}',
          received_at: "1767312245002",
          signature: newDelivery(2).signature,
          state: "dead",
          error: "too old",
        },
      ]);
      expect(await query(url, `SELECT ${columns} FROM ${conflicts}`)).toEqual([
        { ...common, key, digest: "f".repeat(64), raw: first, state: "open" },
      ]);
      expect(await query(url, `SELECT * FROM ${doubles}`)).toEqual([
        {
          id: "pair-1",
          by: "transaction_id",
          value: "SGL31H4X9K",
          reference_1: "PAY-1",
          reference_2: "PAY-2",
          merchant: "duka",
          received_at: "4000000000000",
          state: "open",
        },
      ]);
      expect(await query(url, `SELECT * FROM ${meta} ORDER BY 1`)).toEqual([
        { name: "format", value: "1" },
        { name: "retention", value: "1209600000" },
      ]);
    });
  });

  const stored = async () =>
    postgresInbox({ connectionString: url, schema: await load("1"), pace });

  test("of format 1 is recognised, listed and processed", async () => {
    await expectEventsToGoOn(await stored());
  });

  test("of format 1 has an event that was stored before its kind was known: its handler gets it", async () => {
    await expectNewKindToGoOn(await stored());
  });

  test("of another number is an error that says what to do", async () => {
    const schema = await load("1");
    await query(url, `UPDATE ${tablesOf(schema).meta} SET value = '2' WHERE name = 'format'`);
    const receiver = receiverOn(postgresInbox({ connectionString: url, schema, pace }));
    expect((await receiver.post("PAY-1"))[0]).toBe(503);
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(/have format 2, .* install that version/),
    });
  });
});
