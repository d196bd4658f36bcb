import { ConfigurationError } from "../errors/configuration.ts";
import { checkOptions } from "../internal/check-options.ts";
import { missingGlobal } from "../internal/utf8.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { createChaos } from "./faults/chaos.ts";
import { createFaults } from "./faults/faults.ts";
import { SERVE_OPTIONS } from "./http/access.ts";
import { createFetch } from "./http/in-process.ts";
import { watchActivity } from "./observe/activity.ts";
import { createPhone } from "./payments/phone.ts";
import { Engine } from "./sandbox-engine.ts";
import { checkSandboxOptions, type SandboxOptions } from "./sandbox-options.ts";
import type { Sandbox } from "./sandbox-types.ts";
import { serve } from "./serve.ts";
import { createKey, revokeKey } from "./state/state.ts";

/**
 * A whole gateway: all 18 endpoints with keys, scopes and state, the customer's phone, and signed
 * webhooks that are logged and retried. It needs no account, no network and no tunnel.
 *
 * The interface of the service leaves some questions open, and the sandbox had to choose. The
 * documentation lists every choice. Your code should depend on none of them.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value.
 *
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const gateway = new Gateway({
 *   apiKey: sandbox.keys.secret,
 *   baseUrl: sandbox.baseUrl,
 *   fetch: sandbox.fetch,
 * });
 * const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * sandbox.phone("0712345678").approve();
 * const { status } = await gateway.payments.get(reference); // "completed"
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  // To read it would load all of fetch, which a sandbox on a port does not use: 8 MB.
  if (!("Response" in globalThis)) throw new ConfigurationError(missingGlobal("Response"));
  const settings = checkSandboxOptions(options);
  const engine = new Engine(settings);
  const { clock, deliveries } = engine;
  const { origin, prefix } = ASSUMPTIONS.address.value;
  const baseUrl = origin + prefix;

  const sandbox: Sandbox = {
    baseUrl,
    get keys() {
      return { ...engine.state.builtIn };
    },
    get webhookSecret() {
      return engine.state.webhookSecret;
    },
    get webhookSecrets() {
      return [engine.state.webhookSecret, ...(engine.state.otherSecrets ?? [])];
    },
    clock: { now: () => clock.now(), advance: (by) => clock.advance(by) },
    deliveries: {
      all: () => deliveries.all(),
      settled: () => deliveries.settled(),
      resend: (id) => deliveries.resend(id),
    },
    faults: createFaults(engine),
    chaos: createChaos(engine),
    fetch: createFetch(engine, baseUrl),
    createKey: (key) => createKey(engine.state, key, settings.testNetwork),
    revokeKey: (key) => {
      const next = revokeKey(engine.state, key, settings.testNetwork);
      engine.changed();
      return next;
    },
    phone: (number) => createPhone(engine, number),
    watch: (listener) => watchActivity(engine, listener),
    reset: () => engine.reset(),
    snapshot: () => engine.snapshot(),
    restore: (snapshot) => engine.restore(snapshot),
    serve: async (serveOptions = {}) => {
      const { port, command, ...access } = checkOptions(serveOptions, SERVE_OPTIONS, "serve()");
      return serve({ ...settings, sandboxState: engine, sandbox, command }, port, access);
    },
  };
  return sandbox;
}
