import { expect, test } from "vitest";
import { addTimer, cancelTimer, takeDueTask } from "../../../src/sandbox/clock.ts";
import type { Task, Timer } from "../../../src/sandbox/state/stored.ts";
import { fc } from "../../support/properties.ts";

const at = fc.integer({ min: 0, max: 200 });
const byTurn = (one: Timer, other: Timer) => one.at - other.at || one.turn - other.turn;
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ add: at }) },
  fc.record({ drop: fc.nat() }),
  fc.record({ take: fc.integer({ min: 0, max: 40 }) }),
);

test("timers are added, cancelled and taken in the same order as from a sorted list", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
      const timers: Timer[] = [];
      let model: Timer[] = [];
      for (const [turn, one] of steps.entries()) {
        if ("add" in one) {
          const timer = {
            at: one.add,
            turn,
            task: { kind: "expire", reference: `${turn}` } as const,
          };
          addTimer(timers, timer);
          model = [...model, timer].sort(byTurn);
        } else if ("drop" in one) {
          const gone = model[one.drop % (model.length + 1)];
          const isMeant = (task: Task) => task === gone?.task;
          expect(cancelTimer(timers, isMeant)).toBe(gone !== undefined);
          model = model.filter((timer) => timer !== gone);
        } else {
          const [next] = model;
          const isDue = next !== undefined && next.at <= one.take;
          expect(takeDueTask(timers, one.take)).toBe(isDue ? next.task : undefined);
          if (isDue) model.shift();
        }
        expect(timers[0]).toBe(model[0]);
        expect(timers.toSorted(byTurn)).toEqual(model);
      }
    }),
    { numRuns: 500 },
  );
});
