import { Agent, type IncomingMessage, request } from "node:http";

const agent = new Agent({ keepAlive: true });

function bodyText(received: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    received.setEncoding("utf8");
    received.on("data", (chunk: string) => {
      text += chunk;
    });
    received.on("end", () => resolve(text));
    received.on("error", reject);
  });
}

/**
 * The part of `fetch` that a gateway uses, over `node:http`. An experiment, measured beside the others.
 * Plain HTTP only: it calls the benchmark's own server.
 */
export function nodeFetch(url: string, init: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(init.headers as Headers);
    const outgoing = request(url, { method: init.method ?? "GET", headers, agent }, (received) => {
      const status = received.statusCode ?? 0;
      const response = {
        status,
        ok: status >= 200 && status < 300,
        headers: new Headers(received.headers as Record<string, string>),
        text: () => bodyText(received),
      };
      resolve(response as Response);
    });
    const onAbort = () => outgoing.destroy(init.signal?.reason);
    init.signal?.addEventListener("abort", onAbort, { once: true });
    outgoing.on("error", reject);
    outgoing.end(init.body as string | undefined);
  });
}
