import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/duration.ts';
import type { HistoryChange, HistoryStore, PaceRow, StepsRow, Uptime, UptimeRow } from '../model/history.ts';
import type { Incident } from '../model/incident.ts';
import type { Component } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';
import { packSubnetSteps, packTargetSteps } from '../tell/history/create-steps.ts';

const SUBNET = 'demo';
const SERVICES = ['bootnode', 'relayer', 'stats', 'frontend'] as const;

/** What passed all the time, unless a change says otherwise: without it, what fails at the start would have failed all day. */
const CHECKS: Readonly<Record<Component, readonly CheckName[]>> = {
  node: ['latest_block', 'peers', 'log_block', 'container'],
  bootnode: ['messages', 'container'],
  relayer: ['submissions', 'http', 'container'],
  stats: ['block_data', 'history_data', 'http', 'container'],
  frontend: ['logs', 'http', 'console', 'container'],
};

/** When the frontend was down, before the start, and for how long: what a subnet survives without losing a block. */
const OUTAGE_BEFORE_MS = 9 * HOUR_MS;
const OUTAGE_MS = 7 * MINUTE_MS;
const SEEN = 'simulated: the page did not answer';

/** What is known of the subnet before the demo begins. */
export interface DemoPast {
  readonly nodes: readonly string[];
  /** When the demo begins, in Unix milliseconds. */
  readonly startedAt: number;
  readonly heightAt: (ms: number) => number;
  readonly commitDistance: number;
  /** What the wallet of the relayer has at the start, and spends, in coins. */
  readonly wallet: { readonly coins: number; readonly perDay: number };
}

/** What a subnetd that had watched the subnet for a day would have stored. */
export interface DemoHistory {
  readonly uptimes: readonly UptimeRow[];
  readonly minutes: readonly PaceRow[];
  readonly steps: readonly StepsRow[];
  readonly changes: readonly HistoryChange[];
  readonly incident: Incident;
}

interface Named {
  readonly component: Component;
  readonly name: string;
}

/** Milliseconds that differ from target to target and from minute to minute, and are the same each time. */
const latencyOf = (place: number, minute: number): number =>
  2 + place * 0.7 + Math.abs(Math.sin(minute / 190 + place)) + Math.abs(Math.sin(minute * 1.7 + place)) / 2;

/** A day of a healthy subnet that has just ended, as its simulated chain has it. */
export function toDemoHistory({ nodes, startedAt, heightAt, commitDistance, wallet }: DemoPast): DemoHistory {
  const targets: readonly Named[] = [
    ...nodes.map((name) => ({ component: 'node' as const, name })),
    ...SERVICES.map((name) => ({ component: name, name })),
  ];
  const from = Math.floor((startedAt - DAY_MS) / MINUTE_MS) * MINUTE_MS;
  const until = Math.floor(startedAt / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: (until - from) / MINUTE_MS }, (_, index) => from + index * MINUTE_MS);
  const outage = { from: until - OUTAGE_BEFORE_MS, until: until - OUTAGE_BEFORE_MS + OUTAGE_MS };
  const isOut = ({ component }: Named, at: number) =>
    component === 'frontend' && at >= outage.from && at < outage.until;

  const minutes = times.map((at) => ({
    subnet: SUBNET,
    at,
    blocks: heightAt(at + MINUTE_MS) - heightAt(at),
    gap: commitDistance,
  }));
  const uptimes = targets.flatMap((target) =>
    (
      [
        ['hour', HOUR_MS],
        ['day', DAY_MS],
      ] as const
    ).flatMap(([span, ms]) =>
      [...Map.groupBy(times, (at) => Math.floor(at / ms) * ms)].map(([start, within]): UptimeRow => {
        const fail = within.filter((at) => isOut(target, at)).length * MINUTE_MS;
        const uptime: Uptime = { ok: within.length * MINUTE_MS - fail, fail, unseen: 0, planned: 0 };
        return { subnet: SUBNET, ...target, span, start, ...uptime };
      }),
    ),
  );
  const ofTarget = (target: Named, place: number): StepsRow => ({
    subnet: SUBNET,
    ...target,
    ...packTargetSteps(
      times.map((at) => {
        const ms = isOut(target, at) ? Number.POSITIVE_INFINITY : latencyOf(place, at / MINUTE_MS);
        const ofNode = target.component === 'node' ? { lag: 0, missed: 0 } : {};
        return { at, values: { p50: ms, p95: ms * 1.4, ...ofNode } };
      }),
    ),
  });
  const ofSubnet: StepsRow = {
    subnet: SUBNET,
    component: 'subnet',
    name: '',
    ...packSubnetSteps(
      minutes.map(({ at, blocks, gap }) => {
        const coins = wallet.coins + (wallet.perDay * (startedAt - at)) / DAY_MS;
        return { at, values: { blocks, minutes: 1, gap, coins } };
      }),
    ),
  };
  const frontend = { subnet: SUBNET, component: 'frontend', name: 'frontend' } as const;
  const check = { ...frontend, kind: 'check', what: 'http', reason: SEEN } as const;
  const words = { summary: 'frontend did not answer', evidence: SEEN, fix: 'nothing is left to do' };
  return {
    uptimes,
    minutes,
    steps: [ofSubnet, ...targets.map(ofTarget)],
    changes: [
      ...targets.flatMap((target) =>
        CHECKS[target.component].map(
          (what): HistoryChange => ({
            ...{ at: from, subnet: SUBNET, ...target, kind: 'check', what },
            ...{ was: 'unknown', is: 'pass', reason: 'simulated: it passed before the demo began' },
          }),
        ),
      ),
      { ...check, at: outage.from, was: 'pass', is: 'fail' },
      { ...check, at: outage.until, was: 'fail', is: 'pass' },
    ],
    incident: {
      ...frontend,
      id: 'simulated-outage',
      problem: 'service_down',
      alert: 'SubnetServiceDown',
      severity: 'warning',
      foundAt: outage.from,
      startedAt: outage.from,
      clearSince: outage.until,
      endedAt: outage.until + MINUTE_MS,
      end: 'recovered',
      first: words,
      last: words,
      returns: 0,
      causes: [],
      effects: [],
      notified: [],
    },
  };
}

/** Stores it as that of an instance of subnetd, before that one begins. */
export async function storeDemoHistory(
  {
    history,
    incidents,
  }: {
    readonly history: Pick<HistoryStore, 'addTimes' | 'addMinutes' | 'putSteps' | 'addChanges'>;
    readonly incidents: { save(incidents: readonly Incident[]): Promise<void> };
  },
  { uptimes, minutes, steps, changes, incident }: DemoHistory,
): Promise<void> {
  await history.addTimes(uptimes);
  await history.addMinutes(minutes);
  await history.putSteps(steps);
  await history.addChanges(changes);
  await incidents.save([incident]);
}
