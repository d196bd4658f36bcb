import { Agent, type IncomingMessage, request } from "node:http";

const agent = new Agent({ keepAlive: true });

function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      text += chunk;
    });
    answer.on("end", () => resolve(text));
    answer.on("error", reject);
  });
}

/**
 * As much of `fetch` over `node:http` as a gateway uses: the experiment behind the row "best
 * transport". Plain HTTP, for the benchmark's own server.
 */
export function nodeFetch(url: string, init: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(init.headers as Headers);
    const outgoing = request(url, { method: init.method ?? "GET", headers, agent }, (answer) => {
      const status = answer.statusCode ?? 0;
      const response = {
        status,
        ok: status >= 200 && status < 300,
        headers: new Headers(answer.headers as Record<string, string>),
        text: () => textOf(answer),
      };
      resolve(response as Response);
    });
    const onAbort = () => outgoing.destroy(init.signal?.reason);
    init.signal?.addEventListener("abort", onAbort, { once: true });
    outgoing.on("error", reject);
    outgoing.end(init.body as string | undefined);
  });
}
