import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { Check } from "./check.ts";

const TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
const MIN_DAYS = 14;

/** Checks that the connection to the service is encrypted, and for how long its certificate is valid. */
export async function checkTls(url: URL): Promise<Check> {
  const name = "TLS";
  if (url.protocol === "http:") {
    return { name, state: "skipped", detail: "not used: http on this machine" };
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
    const advice = /CERT|SIGNED|ISSUER|ALTNAME/.test(code ?? "")
      ? "If you use your own certificate authority, set NODE_EXTRA_CA_CERTS. Never turn the check off."
      : "Check that the URL is correct and that the server speaks TLS.";
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
