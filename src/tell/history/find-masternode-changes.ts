import type { HistoryChange } from '../../model/history.ts';
import type { Masternode, SubnetState } from '../../model/snapshot.ts';
import type { ChangeMoment } from './change-subject.ts';

/** Whether a masternode has turns in the epoch, or why it has none; `none` is one that the chain does not list. */
type Office = 'active' | 'penalised' | 'standby' | 'none';

/** By address. */
export type SeenMasternodes = ReadonlyMap<string, Office>;

const officeOf = ({ vote }: Masternode): Office => (vote === 'penalised' || vote === 'standby' ? vote : 'active');

/** The masternodes as they are now: what was seen of them before while that is the same, or no node names them. */
export function seeMasternodes(
  { epoch }: SubnetState,
  before: SeenMasternodes | undefined,
): SeenMasternodes | undefined {
  if (epoch === undefined) return before;
  const { masternodes } = epoch;
  const isSame =
    before?.size === masternodes.length && masternodes.every((one) => before.get(one.address) === officeOf(one));
  return isSame ? before : new Map(masternodes.map((one) => [one.address, officeOf(one)]));
}

function describe(who: string, was: string, is: Office, epoch: number | undefined): string {
  const when = epoch === undefined ? '' : ` in epoch ${epoch}`;
  if (is === 'penalised') return `${who} made too few blocks, and the chain gives it no turn${when}`;
  if (is === 'standby') return `${who} waits${when}, because the chain has as many masternodes as it may have`;
  if (is === 'none') return `${who} is no longer a masternode${when}`;
  return was === 'none' ? `${who} is a new masternode${when}` : `${who} has turns again${when}`;
}

/**
 * Who has become a masternode, was penalised, put on standby or left out. When the masternodes are seen for the first time, only
 * those that have no turn are a change, from what is known from before, else from `unknown`.
 */
export function findMasternodeChanges(
  { subnet: { name: subnet }, epoch }: SubnetState,
  was: SeenMasternodes | undefined,
  is: SeenMasternodes,
  { at, takeBefore }: ChangeMoment,
): readonly HistoryChange[] {
  const names = new Map(epoch?.masternodes.map(({ address, name }) => [address, name]));
  const changes: HistoryChange[] = [];
  for (const address of new Set([...(was?.keys() ?? []), ...is.keys()])) {
    const office = is.get(address) ?? 'none';
    if (was !== undefined && (was.get(address) ?? 'none') === office) continue;
    const name = names.get(address);
    const subject = {
      subnet,
      component: 'node',
      ...(name !== undefined && { name }),
      kind: 'masternode',
      what: address,
    } as const;
    const before = was === undefined ? takeBefore(subject)?.is : (was.get(address) ?? 'none');
    if (before === office || (before === undefined && office === 'active')) continue;
    const who = name === undefined ? address : `${name} (${address})`;
    const known = before ?? 'unknown';
    changes.push({ at, ...subject, was: known, is: office, reason: describe(who, known, office, epoch?.number) });
  }
  return changes;
}
