/**
 * Work in lanes: of each lane, at most so many pieces are under way, and the others wait in line.
 * What finds a free place begins synchronously.
 */
export function createLanes(
  atOnce: number,
): <T>(lane: string, work: () => Promise<T>) => Promise<T> {
  const lanes = new Map<string, { busy: number; line: (() => void)[] }>();
  return async (name, work) => {
    const lane = lanes.get(name) ?? { busy: 0, line: [] };
    lanes.set(name, lane);
    if (lane.busy < atOnce) lane.busy++;
    else await new Promise<void>((begin) => lane.line.push(begin));
    try {
      return await work();
    } finally {
      const next = lane.line.shift();
      if (next !== undefined) next();
      else if (--lane.busy === 0) lanes.delete(name);
    }
  };
}
