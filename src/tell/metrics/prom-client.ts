import { createRequire } from 'node:module';

type PromClient = typeof import('prom-client');

const require = createRequire(import.meta.url);

/** The parts of prom-client that are used. Its index also loads OpenTelemetry, a push client and more, 70 modules in all. */
export const Counter: PromClient['Counter'] = require('prom-client/lib/counter');
export const Gauge: PromClient['Gauge'] = require('prom-client/lib/gauge');
export const Histogram: PromClient['Histogram'] = require('prom-client/lib/histogram');
export const Registry: PromClient['Registry'] = require('prom-client/lib/registry');

/** The values of a metric by its one label. Undefined leaves the sample out. */
type Labelled = () => Iterable<readonly [label: string, value: number | boolean | undefined]>;

/** What adds metrics of subnetd itself to a registry. All but infos are read at each scrape. */
export function addTo(registry: InstanceType<PromClient['Registry']>) {
  const registers = [registry];
  return {
    /** Always 1. */
    info: (name: string, help: string, labels: Readonly<Record<string, string>>) =>
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1),
    /** Without a sample while the value is undefined. */
    gauge: (name: string, help: string, value: () => number | undefined) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const now = value();
          if (now === undefined) this.remove();
          else this.set(now);
        },
      }),
    gauges: (name: string, help: string, label: string, values: Labelled) =>
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [key, value] of values()) if (value !== undefined) this.set({ [label]: key }, Number(value));
        },
      }),
    counter: (name: string, help: string, value: () => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(value());
        },
      }),
    counters: (name: string, help: string, label: string, values: () => ReadonlyMap<string, number>) =>
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [key, value] of values()) this.inc({ [label]: key }, value);
        },
      }),
  };
}
