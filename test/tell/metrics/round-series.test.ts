import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createRoundSeries } from '../../../src/tell/metrics/create-round-series.ts';
import { runInTurns } from '../../../src/tell/metrics/create-scrapes.ts';
import { type ExpositionFormat, formatRegistry } from '../../../src/tell/metrics/text-formats.ts';

const STARTED = 1_795_255_000_500;
const page = (series: ReturnType<typeof createRoundSeries>, format: ExpositionFormat = 'text') =>
  runInTurns(series.write(format, STARTED));

/** The same series in prom-client. */
function createReference() {
  const registry = new Registry();
  const labelNames = ['subnet', 'round'];
  const rounds = new Histogram({
    name: 'subnetd_round_duration_seconds',
    help: 'How long the probes of a round took, without the deliberate spreading.',
    labelNames,
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const late = new Counter({
    name: 'subnetd_rounds_late_total',
    help: 'Late rounds: probes of the round before had not started, a target hung for more than an interval, or the schedule failed.',
    labelNames,
    registers: [registry],
  });
  const write = async (format: ExpositionFormat) => formatRegistry(await registry.getMetricsAsJSON(), format, STARTED);
  return { rounds, late, write };
}

const subnet = fc.constantFrom('a', 'b"\\\n', 'ü');
const round = fc.constantFrom('rpc' as const, 'logs' as const);
/** Also exactly at a limit, and above all of them. */
const seconds = fc.oneof(fc.constantFrom(0, 0.005, 0.1, 1, 30, 31), fc.double({ min: 0, max: 50, noNaN: true }));
const event = fc.oneof(
  fc.record({ kind: fc.constant('finished' as const), subnet, round, seconds }),
  fc.record({ kind: fc.constant('late' as const), subnet, round }),
  fc.record({ kind: fc.constant('drop' as const), subnet, round }),
);

describe('the series of rounds', () => {
  it('are those that prom-client writes, in both formats', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const [ours, reference] = [createRoundSeries(), createReference()];
        for (const one of events) {
          const labels = { subnet: one.subnet, round: one.round };
          if (one.kind === 'finished') {
            ours.finished(one.subnet, one.round, one.seconds);
            reference.rounds.observe(labels, one.seconds);
            reference.late.inc(labels, 0);
          } else if (one.kind === 'late') {
            ours.late(one.subnet, one.round);
            reference.late.inc(labels);
          } else {
            ours.keep((name, kind) => name !== one.subnet || kind !== one.round);
            reference.rounds.remove(labels);
            reference.late.remove(labels);
          }
        }
        const lines = (text: string) => text.split('\n').toSorted();
        for (const format of ['text', 'openmetrics'] as const)
          expect(lines(await page(ours, format))).toEqual(lines(await reference.write(format)));
      }),
    );
  });

  it('of thousands of rounds let others have their turn', async () => {
    const series = createRoundSeries();
    for (let index = 0; index < 20_000; index += 1) series.finished(`s${index}`, 'rpc', 0.1);
    let [turns, isOver] = [0, false];
    const others = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const text = await page(series);
    isOver = true;
    await others;
    expect(turns).toBeGreaterThan(1);
    expect(text.split('\n').length).toBe(20_000 * 14 + 5);
  });
});
