import { Poller } from "../../internal/poller.ts";
import { sleep } from "../../internal/timeout.ts";
import type { Engine } from "./order-engine.ts";

/** Another process may change an order without notifying this one. */
const POLL_MS = 500;
const LEAST_PAUSE_MS = 25;
const BATCH = 32;
const CONCURRENCY = 8;
/** Work that takes longer gives its place to others, until this lane has {@link MAX_WORKING}. */
const SLOW_MS = 5_000;
const MAX_WORKING = 64;

type Work = () => Promise<void>;

/** Works on orders, some at a time. */
class Lane {
  readonly working = new Map<unknown, Promise<void>>();
  /** How many of these have a place. */
  #places = 0;
  readonly #work: (id: string) => Promise<void>;
  readonly #onEmpty: () => void;
  #left: string[] = [];
  readonly #first: Work[] = [];

  /**
   * @param work - Never rejects.
   * @param onEmpty - The last order of a batch has begun.
   */
  constructor(work: (id: string) => Promise<void>, onEmpty: () => void) {
    this.#work = work;
    this.#onEmpty = onEmpty;
  }

  /** In place of those that have not begun. */
  take(ids: readonly string[]): void {
    // In no order, so that processes meet less often.
    const drawn = ids.map((id) => ({ id, at: Math.random() })).sort((a, b) => a.at - b.at);
    this.#left = drawn.map(({ id }) => id);
    this.#begin();
  }

  /** Something of an order that has begun. If the service does not respond, it is left until it is due again. */
  add(work: Work): void {
    if (this.#first.length < BATCH) this.#first.push(work);
    this.#begin();
  }

  /** Begins nothing more of what it has. */
  drop(): void {
    this.#left = [];
    this.#first.length = 0;
  }

  #begin(): void {
    while (this.#places < CONCURRENCY && this.working.size < MAX_WORKING) {
      const first = this.#first.shift();
      const id = first === undefined ? this.#left.pop() : undefined;
      if (id === undefined && first === undefined) return;
      const key = id ?? first;
      const work = this.#inPlace(first ?? (() => this.#work(id as string))).then(() => {
        this.working.delete(key);
        this.#begin();
      });
      this.working.set(key, work);
      if (id !== undefined && this.#left.length === 0) this.#onEmpty();
    }
  }

  async #inPlace(work: Work): Promise<void> {
    this.#places++;
    let hasPlace = true;
    const giveBack = () => {
      if (hasPlace) this.#places--;
      hasPlace = false;
    };
    const slow = setTimeout(() => {
      giveBack();
      this.#begin();
    }, SLOW_MS);
    await work();
    clearTimeout(slow);
    giveBack();
  }
}

/** Does what is due. */
export class Worker {
  readonly #engine: Engine;
  readonly #poller = new Poller(() => this.#turn());
  /** Goods have places of their own: they wait for no read of a service that does not respond. */
  readonly #goods: Lane;
  readonly #reads: Lane;
  #isStopped = false;
  isStarted = false;

  constructor(engine: Engine) {
    this.#engine = engine;
    const next = () => {
      if (this.isStarted) this.#poller.soon();
    };
    const lane = () => new Lane((id) => engine.work(id, (read) => this.#reads.add(read)), next);
    this.#goods = lane();
    this.#reads = lane();
    engine.onWritten((_, isDue) => {
      if (isDue) next();
    });
  }

  start(): void {
    this.isStarted = true;
    void this.#poller.now();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(timeoutMs: number): Promise<void> {
    this.isStarted = false;
    this.#isStopped = true;
    this.#poller.stop();
    const controller = new AbortController();
    this.#drop();
    this.#engine.reads.stop();
    await Promise.race([this.#underWay(), sleep(timeoutMs, controller.signal)]);
    controller.abort();
  }

  async #turn(): Promise<void> {
    await this.#beginDue().catch(this.#engine.settings.onError);
    this.#poller.in(POLL_MS);
  }

  /** Begins with what is due. Resolves with how many orders these are. */
  async #beginDue(): Promise<number> {
    const due = await this.#engine.settings.store.due(BATCH);
    if (this.#isStopped) return 0;
    const lanes = [this.#goods, this.#reads];
    const left = due.filter(({ id }) => !lanes.some(({ working }) => working.has(id)));
    const ids = (isPaid: boolean) =>
      left.filter((one) => one.isPaid === isPaid).map(({ id }) => id);
    this.#goods.take(ids(true));
    this.#reads.take(ids(false));
    return left.length;
  }

  #drop(): void {
    for (const lane of [this.#goods, this.#reads]) lane.drop();
    this.#engine.reads.drop();
  }

  #working(): Promise<void>[] {
    return [...this.#goods.working.values(), ...this.#reads.working.values()];
  }

  /** Resolves when nothing is under way. @param apart - Work that is not waited for. */
  async #underWay(apart: ReadonlySet<Promise<void>> = new Set()): Promise<void> {
    const working = () => this.#working().filter((one) => !apart.has(one));
    for (let work = working(); work.length > 0; work = working()) await Promise.race(work);
  }

  /**
   * Does what is due, until nothing is or the time is over. What it has begun then is awaited; what was under way before
   * is not, since `onPaid` may be what calls this.
   */
  async drain(timeoutMs: number): Promise<number> {
    const before = new Set(this.#working());
    const controller = new AbortController();
    const late = sleep(timeoutMs, controller.signal).then((isLate) => {
      if (isLate) this.#drop();
    });
    const deadline = performance.now() + timeoutMs;
    let processed = 0;
    for (;;) {
      const count = await this.#beginDue();
      processed += count;
      await this.#underWay(before);
      if (count === 0 || performance.now() > deadline) break;
      // Work of before may have all places.
      if (before.size > 0) await sleep(LEAST_PAUSE_MS);
    }
    controller.abort();
    await late;
    return processed;
  }
}
