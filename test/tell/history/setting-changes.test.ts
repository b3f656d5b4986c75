import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogFacts } from '../../../src/model/facts.ts';
import type { GovernanceObservation } from '../../../src/model/governance.ts';
import type { KeptTable } from '../../../src/model/kept.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { createSettingChanges } from '../../../src/tell/history/setting-changes.ts';
import { type HistoryDeps, startHistory } from '../../../src/tell/history/start-history.ts';
import { toChangeEntry } from '../../../src/web/pages/incident-words.ts';
import { NOW } from '../../support/diagnosed.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { openHistory, openSettings } from '../../support/history-stores.ts';
import { useFolder } from '../../support/recordings.ts';
import { withDown } from '../../support/snapshots.ts';

const well = withDown();
const address = (digits: string) => `0x${digits.repeat(20)}`;
const [A, B, C] = [address('aa'), address('bb'), address('cc')];

const governed = (governance: GovernanceObservation): SubnetState => ({ ...well, facts: { governance } });

/** The subnet whose first node was created with these variables. */
const createdWith = (created: LogFacts['created']): SubnetState => ({
  ...well,
  targets: well.targets.map((one, index) =>
    index === 0
      ? { ...one, facts: { ...one.facts, logs: { ...(one.facts.logs as LogFacts), ...(created && { created }) } } }
      : one,
  ),
});

const emptyTable = (stored = new Map<string, string>()): KeptTable<string> => ({
  read: async () => stored,
  write: async (changed) => {
    for (const [key, value] of changed) stored.set(key, value);
  },
});

/** The changes of each of these states after the one before. */
async function changesOf(...states: readonly SubnetState[]) {
  const settings = createSettingChanges(() => true);
  await settings.load(emptyTable());
  return states.map((state, at) =>
    settings.find([state], at).map(({ what, was, is, reason, name }) => ({ what, was, is, reason, name })),
  );
}

test('who was proposed and who has resigned is one line', async () => {
  const [first, same, changed, fewer] = await changesOf(
    governed({ candidates: [A, B] }),
    governed({ candidates: [A, B] }),
    governed({ candidates: [A, C] }),
    governed({ candidates: [C] }),
  );
  expect([first, same]).toEqual([[], []]);
  const line = { what: 'candidates', was: '2 candidates', name: undefined };
  expect(changed).toEqual([{ ...line, is: '2 candidates', reason: `${C} was proposed; ${B} resigned` }]);
  expect(fewer).toEqual([{ ...line, is: '1 candidate', reason: `${A} resigned` }]);
});

test('another implementation of the checkpoint contract is one line', async () => {
  const [, upgraded, unread] = await changesOf(
    governed({ implementation: A }),
    governed({ implementation: B, candidates: [C] }),
    well,
  );
  const reason = `the proxy of the checkpoint contract runs ${B} in place of ${A}`;
  expect(upgraded).toEqual([{ what: 'implementation', was: A, is: B, reason, name: undefined }]);
  expect(unread).toEqual([]);
});

test('a container that was created with another setting is one line', async () => {
  const [, other] = await changesOf(
    createdWith({ contract: A, networkId: 551 }),
    createdWith({ contract: B, networkId: 551, level: 4 }),
  );
  const reason = `the container of n1 was created with CHECKPOINT_CONTRACT ${B} in place of ${A}`;
  expect(other).toEqual([{ what: 'CHECKPOINT_CONTRACT', was: A, is: B, reason, name: 'n1' }]);
});

test('nothing is compared before what is stored was read, and another instance does not write', async () => {
  const stored = new Map<string, string>();
  const other = createSettingChanges(() => false);
  expect(other.find([governed({ implementation: A })], 1)).toEqual([]);
  await other.load(emptyTable(stored));
  other.find([governed({ implementation: A })], 2);
  await other.save(emptyTable(stored));
  expect(stored.size).toBe(0);
  expect(other.find([governed({ implementation: B })], 3)).toHaveLength(1);
});

test('what could not be written is written with the next save', async () => {
  const settings = createSettingChanges(() => true);
  const stored = new Map<string, string>();
  await settings.load(emptyTable());
  settings.find([governed({ implementation: A })], 1);
  const away = { ...emptyTable(), write: () => Promise.reject(new Error('away')) };
  await expect(settings.save(away)).rejects.toThrow('away');
  await settings.save(emptyTable(stored));
  expect([...stored.values()]).toEqual([A]);
});

test('a change while subnetd was stopped is in the history, once', async () => {
  const folder = useFolder();
  const location = { kind: 'sqlite', path: join(folder, 'subnetd.db') } as const;
  const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 20 });
  const run = (state: SubnetState) => {
    let passed = 0;
    const deps: HistoryDeps = {
      part: createFakePart('devnet'),
      store: openHistory(location),
      settings: openSettings(location),
      snapshot: () => {
        passed += 10_000;
        return [state];
      },
      clock: { now: () => NOW + passed, toWall: (at) => at },
      keptDays: { changes: 30, days: 365 },
      onFailure: () => {},
      onBug: () => {},
      firstAfterMs: 0,
      recordEveryMs: 5,
    };
    const link = startHistory(deps);
    onTestFinished(link.stop);
    return { ...link, records: () => passed / 10_000 };
  };
  const linesOf = async () =>
    (await (await openHistory(location)()).changes({ limit: 99 })).filter(({ kind }) => kind === 'setting');
  const stored = async () => (await openSettings(location)()).read();
  const first = run(governed({ implementation: A }));
  await eventually(async () => expect((await stored()).size).toBe(1));
  await first.stop();
  expect(await linesOf()).toEqual([]);
  for (let start = 0; start < 2; start += 1) {
    const next = run(governed({ implementation: B }));
    await eventually(async () => expect([...(await stored()).values()]).toEqual([B]));
    await eventually(() => expect(next.records()).toBeGreaterThan(50));
    await next.stop();
    expect(await linesOf()).toMatchObject([{ subnet: 'devnet', what: 'implementation', was: A, is: B }]);
  }
  const [line] = await linesOf();
  expect(line && toChangeEntry(line).text).toBe(`the proxy of the checkpoint contract runs ${B} in place of ${A}`);
}, 30_000);
