import { connect, type TLSSocket } from "node:tls";
import type { Check } from "./check.ts";

const TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
const NOTABLE_DAYS = 14;

/** Whether the way to the service is encrypted, by what, and for how long. */
export async function examineTls(url: URL): Promise<Check> {
  const name = "TLS";
  if (url.protocol === "http:") {
    return { name, state: "skipped", detail: "none: http, on this machine alone" };
  }
  try {
    const socket = await greet(url);
    const days = Math.floor(
      (Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS,
    );
    const detail = `${socket.getProtocol()}, certificate good for ${days} days`;
    socket.destroy();
    if (!(days < NOTABLE_DAYS)) return { name, state: "ok", detail };
    return { name, state: "warn", detail, advice: "The service's certificate ends soon." };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = /CERT|SIGNED|ISSUER|ALTNAME/.test(code ?? "")
      ? "For an authority of your own, set NODE_EXTRA_CA_CERTS. Never switch the check off."
      : "Is the address right, and does it speak TLS?";
    return { name, state: "fail", detail: `${url.host}: ${message || code}`, advice };
  }
}

function greet(url: URL): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const isName = !/^[\d.]+$|:/.test(host);
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isName && { servername: host }),
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no TLS greeting in time")));
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", reject);
  });
}
