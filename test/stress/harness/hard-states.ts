import type { Breach, HardState } from "./table.ts";

/**
 * Something rare that a campaign is there for. `World`: what happened, and what is there at the end. `Kind`: what is
 * fixed of an order.
 */
export interface HardStateRow<World, Kind> {
  readonly name: string;
  /** Whether this campaign must reach it. Default: always. */
  readonly applies?: (world: World) => boolean;
  readonly count: (world: World) => number;
  /** The orders that lead to it. Without them, it comes with the last phase of every campaign. */
  readonly leadsTo?: readonly Kind[];
  /** Whether the last phase makes it come, after what has happened until now. Default: if it has come. */
  readonly willCome?: (world: World) => boolean;
}

type Rows<World, Kind> = readonly HardStateRow<World, Kind>[];

const applying = <World, Kind>(rows: Rows<World, Kind>, world: World) =>
  rows.filter(({ applies }) => applies?.(world) ?? true);

/** How often each hard state has come that a campaign must reach. */
export const countStates = <World, Kind>(rows: Rows<World, Kind>, world: World): HardState[] =>
  applying(rows, world).map(({ name, count }) => [name, count(world)]);

/** The orders that lead to the hard states which have not come. A campaign sells them until each has. */
export const lackingKinds = <World, Kind>(rows: Rows<World, Kind>, world: World): Kind[] =>
  applying(rows, world)
    .filter(({ count, willCome }) => count(world) === 0 && !willCome?.(world))
    .flatMap(({ leadsTo }) => leadsTo ?? []);

/** A hard state that never comes makes a campaign fail. */
export const neverCame = (states: readonly HardState[]): Breach[] =>
  states.filter(([, count]) => count === 0).map(([what]) => ({ kind: "never", order: "", what }));
