import {
  type Attributes,
  type BatchObservableCallback,
  createNoopMeter,
  type Meter,
  type Observable,
} from "@opentelemetry/api";

/** A measurement, as a meter was given it. */
interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** A meter that keeps what it is given. */
export function recordingMeter() {
  const measurements: Measurement[] = [];
  const units = new Map<string, string | undefined>();
  const names = new Map<Observable, string>();
  const callbacks = new Set<BatchObservableCallback>();
  const instrument = (name: string, options?: { unit?: string | undefined }) => {
    units.set(name, options?.unit);
    const keep = (value: number, attributes: Attributes = {}) =>
      void measurements.push({ name, value, attributes });
    return { add: keep, record: keep };
  };
  const meter: Meter = Object.assign(Object.create(createNoopMeter()) as Meter, {
    createCounter: instrument,
    createHistogram: instrument,
    createObservableGauge: (name: string, options?: { unit?: string | undefined }) => {
      units.set(name, options?.unit);
      const gauge: Observable = { addCallback() {}, removeCallback() {} };
      names.set(gauge, name);
      return gauge;
    },
    addBatchObservableCallback: (callback: BatchObservableCallback) => void callbacks.add(callback),
    removeBatchObservableCallback: (callback: BatchObservableCallback) =>
      void callbacks.delete(callback),
  });
  /** Reads the gauges, as an export does. */
  const collect = async (): Promise<Record<string, number>> => {
    const read: Record<string, number> = {};
    const observe = (observable: Observable, value: number) => {
      read[names.get(observable) ?? ""] = value;
    };
    for (const callback of callbacks) await callback({ observe } as never);
    return read;
  };
  return { meter, measurements, units, collect };
}
