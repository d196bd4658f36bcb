import type { Deliver } from "malipo/sandbox";
import { drawsOf } from "./random.ts";

/** What becomes of a webhook on its way. */
const FATES = [
  { fate: "delivered", weight: 55 },
  { fate: "lost", weight: 12 },
  { fate: "late", weight: 12 },
  { fate: "doubled", weight: 10 },
  { fate: "reordered", weight: 8 },
  { fate: "refused", weight: 3 },
] as const;

type Fate = (typeof FATES)[number]["fate"];

/** The way between the service and the shop. */
export interface Carrier {
  readonly deliver: Deliver;
  readonly counts: Readonly<Record<Fate, number>>;
  /** From now on, nothing arrives. */
  close(): void;
}

interface Letter {
  readonly body: string;
  readonly headers: Headers;
}

/**
 * Loses webhooks, keeps them for seconds, repeats them and lets others overtake them. What arrives
 * arrives at one worker, as behind a load balancer.
 *
 * @param ports - Where workers listen now.
 * @param onPrompt - Told of every prompt: the customers' side.
 */
export function createCarrier(
  seed: string,
  ports: () => readonly number[],
  onPrompt: (prompt: { account_reference: string; reference: string }) => void,
): Carrier {
  const draws = drawsOf(`${seed} webhooks`);
  const counts = { delivered: 0, lost: 0, late: 0, doubled: 0, reordered: 0, refused: 0 };
  const held: Letter[] = [];
  let closed = false;

  function bring({ body, headers }: Letter): void {
    const port = draws.pick(ports());
    if (closed || port === undefined) return;
    const url = `http://127.0.0.1:${port}/webhooks`;
    // Whoever was killed meanwhile does not get it, and that is all.
    fetch(url, { method: "POST", body, headers })
      .then((response) => response.arrayBuffer())
      .catch(() => {});
  }
  const bringLater = (letter: Letter, ms: number) => setTimeout(bring, ms, letter).unref();

  const ways: Readonly<Record<Fate, (letter: Letter) => void>> = {
    delivered: (letter) => {
      bring(letter);
      for (const overtaken of held.splice(0)) bringLater(overtaken, draws.between(1, 30));
    },
    lost: () => {},
    late: (letter) => bringLater(letter, draws.between(800, 3_000)),
    doubled: (letter) => {
      bring(letter);
      for (let more = draws.between(1, 3); more > 0; more--) {
        bringLater(letter, draws.between(0, 400));
      }
    },
    reordered: (letter) => held.push(letter),
    // The service sends it again, later.
    refused: () => {},
  };

  return {
    counts,
    deliver: async (request) => {
      const letter = { body: await request.text(), headers: request.headers };
      const { event, data } = JSON.parse(letter.body);
      if (event === "payment.initiated") onPrompt(data);
      const { fate } = draws.row(FATES);
      counts[fate]++;
      ways[fate](letter);
      return new Response(null, { status: fate === "refused" ? 500 : 200 });
    },
    close: () => {
      closed = true;
    },
  };
}
