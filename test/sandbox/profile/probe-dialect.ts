import { probe } from "../../../src/learn/probe/run-probe.ts";
import { chooseSteps } from "../../../src/learn/probe/steps.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import {
  createDialectService,
  type Dialect,
  type DialectService,
} from "../../support/dialects/index.ts";
import { serveDialect } from "../../support/dialects/serve.ts";
import { type Faults, faulty, withFaults } from "../../support/dialects/service-faults.ts";
import { sandboxPeer, servicePeer } from "./peer.ts";
import { scriptFor } from "./script.ts";
import { differences, transcriptOf } from "./transcript.ts";

const PHONE = "254711000009";
const INITIATE = "/mobile-money/payment/initiate";
/** The reads of a probe before it waits for the end of its payment. */
const READS_WHILE_OPEN = 4;

export interface ProbeChoices {
  /** Whether the probe starts a payment: `--prompt`. */
  readonly prompt: boolean;
  readonly faults: Faults;
  /** Called with each request that reaches the service, and with the status of its response. */
  readonly onRequest?: (line: string, status: number) => void;
}

/** Probes a service that has had a few payments, with `--write` and a public key. */
export async function probeDialect(
  dialect: Dialect,
  { prompt, faults, onRequest }: ProbeChoices,
  serve: typeof serveDialect = serveDialect,
): Promise<ServiceProfile> {
  const service = createDialectService(withFaults(dialect, faults));
  await payOften(service);
  const fetch = faulty(answering(service), faults);
  const { baseUrl, close } = await serve(async (request) => {
    const { method, url } = request;
    const response = await fetch(request);
    onRequest?.(`${method} ${url}`, response.status);
    return response;
  });
  const { profile } = await probe({
    baseUrl,
    key: service.keys.sandbox,
    publicKey: service.keys.public,
    phone: prompt ? PHONE : undefined,
    steps: chooseSteps({
      write: true,
      phone: prompt ? PHONE : undefined,
      publicKey: "pk_a",
      keyKind: "sandbox",
    }),
    signal: new AbortController().signal,
    onStep: () => {},
    notify: () => {},
  });
  await close();
  return profile;
}

async function payOften(service: DialectService): Promise<void> {
  for (const [phone, outcome] of [
    ["254711000001", "approve"],
    ["254711000004", "wrongPin"],
    ["254711000002", "cancel"],
    ["254711000003", undefined],
  ] as const) {
    await service.fetch(service.baseUrl + INITIATE, {
      method: "POST",
      headers: { "x-api-key": service.keys.secret },
      body: JSON.stringify({ amount: 5, phone, account_reference: "A-1" }),
    });
    if (outcome !== undefined) service.answer(phone, outcome);
  }
}

/** Someone who looks at the phone, and pays after a few reads. */
function answering(
  service: DialectService,
): (request: Request | string | URL) => Promise<Response> {
  let left = 0;
  return async (input) => {
    const request = input as Request;
    if (left > 0 && --left === 0) service.answer(PHONE, "approve");
    const { pathname, search } = new URL(request.url);
    const body = request.method === "GET" ? undefined : await request.text();
    const path = pathname.replace(/^\/v1/, "");
    const { method, headers } = request;
    const response = await service.fetch(service.baseUrl + path + search, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    if (path === INITIATE && response.ok) left = READS_WHILE_OPEN;
    return response;
  };
}

/** The steps in which a sandbox with the profile responds otherwise than the service, and how many there are. */
export async function compareWithSandbox(dialect: Dialect, profile: ServiceProfile) {
  const script = scriptFor(dialect, { payments: true });
  const service = await transcriptOf(script, servicePeer(dialect));
  const sandbox = await transcriptOf(script, sandboxPeer({ profile: encodeProfile(profile) }));
  return { steps: service.length, wrong: differences(service, sandbox) };
}
