import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { DAY_MS } from "../../internal/units.ts";
import { isLoopback } from "../../internal/urls.ts";
import { causesOf } from "../../storage/engine-away.ts";
import type { Io } from "../io.ts";
import type { Check } from "./check.ts";

export const TIMEOUT_MS = 10_000;

/** What to do about a certificate that Node rejects, by the code of its error. */
const CERTIFICATES: readonly (readonly [code: RegExp, advice: string])[] = [
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    "The certificate is not valid today. If the clock of this machine is right, the service must renew it. Never turn the check off.",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "The certificate is for another name. Check the host in the base URL. Never turn the check off.",
  ],
  [
    /CERT|SIGNED|ISSUER/,
    "Node does not know who signed the certificate: your own authority, or a proxy of your company that reads all traffic. Set NODE_EXTRA_CA_CERTS to the certificate of that authority. Never turn the check off.",
  ],
];

/** What to do if an error, or one of its causes, is about a certificate. */
export function certificateAdvice(error: unknown): string | undefined {
  const codes = causesOf(error).map((one) => String((one as NodeJS.ErrnoException).code));
  return CERTIFICATES.find(([code]) => codes.some((one) => code.test(one)))?.[1];
}

/** Whether Node obeys the variables: https://nodejs.org/api/cli.html#node_use_env_proxy1 */
const usesProxy = ({ NODE_USE_ENV_PROXY, NODE_OPTIONS = "" }: Io["env"]): boolean =>
  NODE_USE_ENV_PROXY === "1" || NODE_OPTIONS.includes("--use-env-proxy");

/** The host of the proxy that the variables name for a URL. */
function proxyFor({ hostname }: URL, env: Io["env"]): string | undefined {
  const proxy = env.https_proxy || env.HTTPS_PROXY;
  const without = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).filter(Boolean);
  const isDirect = without.some((one) => {
    const name = one.replace(/^\*?\./, "").replace(/:\d+$/, "");
    return one === "*" || hostname === name || hostname.endsWith(`.${name}`);
  });
  if (!proxy || isDirect) return undefined;
  // Its address may have a password.
  return URL.canParse(proxy) ? new URL(proxy).host : "that HTTPS_PROXY names";
}

const MIN_DAYS = 14;

/** Checks that the connection to the service is encrypted, and for how long its certificate is valid. */
export async function checkTls(url: URL, env: Io["env"]): Promise<Check> {
  const name = "TLS";
  if (url.protocol === "http:") {
    const place = isLoopback(url.hostname) ? "on this machine" : "in a test network";
    return { name, state: "skipped", detail: `not used: http ${place}` };
  }
  const proxy = proxyFor(url, env);
  if (proxy !== undefined && usesProxy(env)) {
    const detail = `not looked at: Node connects by the proxy ${proxy}. The next check is made through it`;
    return { name, state: "skipped", detail };
  }
  try {
    const socket = await connectTls(url);
    const { valid_to } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(valid_to) - Date.now()) / DAY_MS);
    const detail = `${socket.getProtocol()}, certificate valid for ${days} days`;
    socket.destroy();
    if (!(days < MIN_DAYS)) return { name, state: "ok", detail };
    return { name, state: "warn", detail, advice: "The service's certificate expires soon." };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice =
      certificateAdvice(error) ??
      (proxy === undefined
        ? "Check that the URL is correct and that the server speaks TLS."
        : `HTTPS_PROXY names the proxy ${proxy}, which Node uses only with NODE_USE_ENV_PROXY=1. Set it here and for your shop.`);
    return { name, state: "fail", detail: `${url.host}: ${message || code}`, advice };
  }
}

async function connectTls(url: URL): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // TLS knows no server name that is an IP address.
    ...(isIP(host) === 0 && { servername: host }),
  });
  socket.setTimeout(TIMEOUT_MS, () =>
    socket.destroy(new Error(`no TLS handshake within ${TIMEOUT_MS / 1_000} s`)),
  );
  await once(socket, "secureConnect");
  return socket;
}
