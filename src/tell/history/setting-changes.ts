import { formatCount, joinAnd } from '../../lib/words.ts';
import type { HistoryChange } from '../../model/history.ts';
import type { KeptTable } from '../../model/kept.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import { type Subject, toReason } from './change-subject.ts';

/** What governs a subnet, as it is now. */
interface Setting {
  readonly subject: Subject;
  readonly value: string;
  /** How it reads: the value itself, or what is in it. */
  readonly toWords: (value: string) => string;
  readonly explain: (was: string, is: string) => string;
}

const asIs = (value: string): string => value;
const listOf = (value: string): readonly string[] => value.split(' ').filter((one) => one !== '');

function explainCandidates(was: string, is: string): string {
  const [before, after] = [new Set(listOf(was)), new Set(listOf(is))];
  const [come, gone] = [[...after.difference(before)], [...before.difference(after)]];
  return [
    come.length > 0 ? `${joinAnd(come)} ${come.length === 1 ? 'was' : 'were'} proposed` : '',
    gone.length > 0 ? `${joinAnd(gone)} resigned` : '',
  ]
    .filter((text) => text !== '')
    .join('; ');
}

/** What is known of the settings of a subnet: the candidates and the proxy of the contract, and the variables of containers. */
function listSettings({ subnet: { name: subnet }, facts, targets }: SubnetState): readonly Setting[] {
  const { candidates, implementation } = facts?.governance ?? {};
  const ofSubnet = (what: string): Subject => ({ subnet, kind: 'setting', what });
  const settings: Setting[] = [];
  if (candidates !== undefined)
    settings.push({
      subject: ofSubnet('candidates'),
      value: candidates.join(' '),
      toWords: (value) => formatCount(listOf(value).length, 'candidate', 'candidates'),
      explain: explainCandidates,
    });
  if (implementation !== undefined)
    settings.push({
      subject: ofSubnet('implementation'),
      value: implementation,
      toWords: asIs,
      explain: (was, is) => `the proxy of the checkpoint contract runs ${is} in place of ${was}`,
    });
  for (const { target, facts: own } of targets) {
    if (own.logs?.created === undefined) continue;
    const { contract, networkId } = own.logs.created;
    for (const [what, value] of [['CHECKPOINT_CONTRACT', contract] as const, ['NETWORK_ID', networkId] as const])
      if (value !== undefined)
        settings.push({
          subject: { subnet, component: target.component, name: target.name, kind: 'setting', what },
          value: String(value),
          toWords: asIs,
          explain: (was, is) => `the container of ${target.name} was created with ${what} ${is} in place of ${was}`,
        });
  }
  return settings;
}

const keyOf = ({ subnet, component, name, what }: Subject): string =>
  JSON.stringify([subnet, component ?? null, name ?? null, what]);

/** Finds what has changed in the settings of subnets, also while subnetd was not running: each value is stored as it was last seen. */
export function createSettingChanges(keeps: (subnet: string) => boolean) {
  const known = new Map<string, string>();
  let unsaved = new Map<string, string>();
  let isLoaded = false;
  return {
    /** Before the values of an earlier process are loaded, nothing is a change. */
    find: (snapshot: Snapshot, at: number): readonly HistoryChange[] => {
      if (!isLoaded) return [];
      return snapshot.flatMap((state) =>
        listSettings(state).flatMap(({ subject, value, toWords, explain }) => {
          const key = keyOf(subject);
          const was = known.get(key);
          if (was === value) return [];
          known.set(key, value);
          // The instance that keeps the history of the subnet writes it.
          if (keeps(subject.subnet)) unsaved.set(key, value);
          if (was === undefined) return [];
          return [{ at, ...subject, was: toWords(was), is: toWords(value), reason: toReason(explain(was, value)) }];
        }),
      );
    },
    load: async (table: KeptTable<string>): Promise<void> => {
      if (isLoaded) return;
      for (const [key, value] of await table.read()) known.set(key, value);
      isLoaded = true;
    },
    /** What could not be written is written with the next save. */
    save: async (table: KeptTable<string>): Promise<void> => {
      if (unsaved.size === 0) return;
      const written = unsaved;
      unsaved = new Map();
      try {
        await table.write(written, []);
      } catch (error) {
        unsaved = new Map([...written, ...unsaved]);
        throw error;
      }
    },
  };
}
