import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Gateway } from "malipo";
import * as z from "zod/mini";
import { nodeFetch } from "./node-fetch.ts";
import { peer, peerVersion } from "./peers.ts";
import { type Candidate, medians } from "./rounds.ts";
import { atMost, type Goal, type Measured } from "./table.ts";

const PARAMS = { amount: 1_500, phone: "254712345678", account_reference: "ORDER-1042" };
const HEADERS = { "content-type": "application/json", "x-api-key": "sk_bench" };

interface StripeModule {
  readonly default: StripeClass;
}
interface StripeClass {
  new (
    key: string,
    options: object,
  ): { readonly customers: { create(fields: object): Promise<unknown> } };
  createFetchHttpClient(): object;
  createNodeHttpClient(): object;
}
interface OpenAiModule {
  readonly default: new (
    options: object,
  ) => { post(path: string, options: object): Promise<unknown> };
}
interface KyModule {
  readonly default: Record<
    "get" | "post",
    (url: string, options: object) => { json(): Promise<unknown> }
  >;
}

const Params = z.object({ amount: z.number(), phone: z.string(), account_reference: z.string() });
const Response = z.looseObject({
  success: z.boolean(),
  data: z.looseObject({ reference: z.string(), status: z.string() }),
});

const inTurn =
  (work: () => Promise<unknown>) =>
  async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await work();
  };

async function candidatesFor(port: number): Promise<Candidate[]> {
  const url = `http://127.0.0.1:${port}/api/v1/mobile-money/payment/initiate`;
  const read = `http://127.0.0.1:${port}/api/v1/payments/PAY123`;
  const { default: Stripe } = await peer<StripeModule>("stripe");
  const { default: OpenAi } = await peer<OpenAiModule>("openai");
  const { default: ky } = await peer<KyModule>("ky");
  const post = (): RequestInit => ({
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(PARAMS),
  });
  const checked = async (response: Promise<unknown>) => Response.parse(await response);
  const gateway = (fetch?: typeof nodeFetch) =>
    new Gateway({
      apiKey: "sk_bench",
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      ...(fetch && { fetch }),
    });
  const stripe = (httpClient: object) =>
    new Stripe("sk_test_1", {
      host: "127.0.0.1",
      port,
      protocol: "http",
      httpClient,
      telemetry: false,
    });
  const openai = new OpenAi({ apiKey: "sk", baseURL: `http://127.0.0.1:${port}` });
  const [plain, onNode] = [gateway(), gateway(nodeFetch)];
  const [stripeFetch, stripeNode] = [
    stripe(Stripe.createFetchHttpClient()),
    stripe(Stripe.createNodeHttpClient()),
  ];
  return [
    { name: "bare fetch", run: inTurn(async () => (await fetch(url, post())).json()) },
    { name: "malipo, checked both ways", run: inTurn(() => plain.mobileMoney.initiate(PARAMS)) },
    {
      name: "bare fetch, zod/mini both ways, AbortSignal.timeout",
      run: inTurn(() => {
        Params.parse(PARAMS);
        const sent = fetch(url, { ...post(), signal: AbortSignal.timeout(15_000) });
        return checked(sent.then((response) => response.json()));
      }),
    },
    {
      name: `ky ${peerVersion("ky")}, zod/mini both ways`,
      run: inTurn(() =>
        checked(ky.post(url, { json: Params.parse(PARAMS), headers: HEADERS }).json()),
      ),
    },
    {
      name: `stripe ${peerVersion("stripe")}, its fetch client`,
      run: inTurn(() => stripeFetch.customers.create({ name: "Wanjiku" })),
    },
    {
      name: `openai ${peerVersion("openai")}`,
      run: inTurn(() => openai.post("/x", { body: PARAMS })),
    },
    {
      name: `stripe ${peerVersion("stripe")}, its node:http client`,
      run: inTurn(() => stripeNode.customers.create({ name: "Wanjiku" })),
    },
    {
      name: "malipo over a fetch made of node:http (experiment)",
      run: inTurn(() => onNode.mobileMoney.initiate(PARAMS)),
    },
    {
      name: `a GET, ky ${peerVersion("ky")} alone`,
      run: inTurn(() => ky.get(read, { headers: HEADERS }).json()),
    },
    { name: "a GET, malipo, checked", run: inTurn(() => plain.payments.get("PAY123")) },
  ];
}

/** What one call takes, in microseconds. */
interface CallTimes {
  readonly bare: number;
  readonly post: number;
  readonly stripe: number;
  readonly openai: number;
  readonly ky: number;
  readonly get: number;
}

export const callGoals = ({ bare, post, stripe, openai, ky, get }: CallTimes): Goal[] => [
  atMost("a POST, beside bare fetch,", 1.4, post / bare),
  atMost("a GET, beside ky alone,", 1.1, get / ky),
  { text: `ahead of openai: ${(post / openai).toFixed(2)} of it`, met: post < openai },
  {
    text: `ahead of stripe's fetch client: ${(post / stripe).toFixed(2)} of it`,
    met: post < stripe,
  },
];

/** One call on a warm keep-alive connection: what it costs the client's processor. */
export async function benchCall(rounds: number): Promise<Measured> {
  const server = fork(fileURLToPath(new URL("./call-server.ts", import.meta.url)));
  try {
    const [port] = await once(server, "message");
    const candidates = await candidatesFor(port);
    const micros = await medians(candidates, { what: "call", rounds, times: 1_000, clock: "cpu" });
    const [bare = 0, post = 0, , , stripe = 0, openai = 0] = micros;
    const [ky = 0, get = 0] = micros.slice(-2);
    const ratios = micros.map((cost) => cost / bare);
    return {
      title: "One call on a warm connection",
      how: `POST a small JSON, get one back, over loopback, and the same with a GET; CPU time of the client, whose process does nothing else; medians of ${rounds} interleaved rounds of 1,000.`,
      columns: ["what", "µs of CPU time", "against bare fetch"],
      rows: candidates.map(({ name }, index) => [
        name,
        (micros[index] ?? 0).toFixed(0),
        (ratios[index] ?? 0).toFixed(2),
      ]),
      bars: candidates.map(({ name }, index) => ({
        label: name,
        value: ratios[index] ?? 0,
        text: `${(ratios[index] ?? 0).toFixed(2)} ×`,
      })),
      goals: callGoals({ bare, post, stripe, openai, ky, get }),
    };
  } finally {
    server.disconnect();
  }
}
