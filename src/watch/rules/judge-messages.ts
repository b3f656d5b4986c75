import { formatDuration } from '../../lib/duration.ts';
import { ascending } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { listNames } from '../../lib/words.ts';
import type { KnownTarget } from '../../model/facts.ts';
import type { BootnodeTarget } from '../../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { readLog, readSince } from './find-log-fault.ts';
import type { View } from './view.ts';

const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);

/**
 * Finds each node among the addresses that the bootnode heard: by its address, or by its port if that is unique. Behind
 * a NAT the address is not the node's own. Nodes without a known address share the remaining addresses, and so do those that do
 * not run, unless their port is unique. `heardAt`: when it was heard last, in watched time.
 */
export function findHeardNodes(subnet: readonly KnownTarget[], heard: ReadonlyMap<string, number> = new Map()) {
  const nodes = collect(subnet, ({ target, facts }) =>
    target.component === 'node' ? { name: target.name, address: target.p2p ?? facts.logs?.created?.p2p } : undefined,
  );
  const addresses = nodes.flatMap(({ address }) => address ?? []);
  const sharing = Map.groupBy(addresses, portOf);
  /** What an address is known by: its port, if exactly one of the addresses has that. */
  const keyOf = (address: string) => (sharing.get(portOf(address))?.length === 1 ? portOf(address) : address);
  const heardAt = new Map<string, number>();
  for (const [address, at] of heard) {
    const key = keyOf(address);
    heardAt.set(key, Math.max(at, heardAt.get(key) ?? at));
  }
  const found = nodes.map(({ name, address }) => {
    const key = address && keyOf(address);
    // A container that does not run has no address on its network.
    if (key === undefined || key.startsWith('0.0.0.0:')) return { name };
    const at = heardAt.get(key);
    // The first of two nodes with one address has it.
    heardAt.delete(key);
    return { name, address, heardAt: at };
  });
  const left = [...heardAt.values()].sort(ascending);
  return found.map((node) => ('address' in node ? node : { ...node, heardAt: left.pop() }));
}

/** The nodes that the bootnode heard within `windowMs`; undefined without a bootnode whose log can be read. */
export function listHeardNodes(subnet: readonly KnownTarget[], now: number, windowMs: number) {
  const logs = subnet.find(({ target }) => target.component === 'bootnode')?.facts.logs;
  if (logs === undefined || !Object.values(logs.sources).some(({ up }) => up)) return undefined;
  return findHeardNodes(subnet, logs.heard)
    .filter(({ heardAt = Number.NEGATIVE_INFINITY }) => now - heardAt < windowMs)
    .map(({ name }) => name);
}

/** A log may be read late on a busy machine, as right after a start of subnetd. */
const FIRST_LINE_MS = 60_000;

/** Has the bootnode heard every node within its window? */
export function judgeMessages(view: View<BootnodeTarget>): Judgement {
  const logs = readLog(view, 'the log of the bootnode');
  if ('verdict' in logs) return logs;
  const { target, facts, subnet, settings, now } = view;
  const { bootnodeWindowMs } = settings.logs;
  // The nodes are unknown only for a saved log.
  const nodes = findHeardNodes(subnet, logs.heard);
  if (nodes.length === 0) return unknown('the bootnode has heard nobody');
  const missing = nodes.filter(({ heardAt = Number.NEGATIVE_INFINITY }) => now - heardAt >= bootnodeWindowMs);
  if (missing.length === 0)
    return pass(
      `the bootnode has heard ${nodes.length === 1 ? 'the only node' : `all ${nodes.length} nodes`} within ${formatDuration(bootnodeWindowMs)}`,
    );
  const names = listNames(missing.map(({ name }) => name));
  const readFor = now - readSince(facts, now);
  if (readFor < bootnodeWindowMs && missing.every(({ heardAt }) => heardAt === undefined))
    return unknown(
      `the bootnode has not been heard to speak with ${names} in the ${formatDuration(readFor)} that its log can show, and has ${formatDuration(bootnodeWindowMs)}`,
    );
  const isSilent = Object.values(logs.sources).every(({ lines }) => lines === 0);
  if (isSilent && logs.heard === undefined && readFor < bootnodeWindowMs + FIRST_LINE_MS)
    return unknown('no line of the log of the bootnode has been read yet');
  const noAddress = missing.some(({ address }) => address === undefined);
  const [ports, those] = missing.length > 1 ? ['ports', 'those that do'] : ['port', 'it if it does'];
  const answers = ({ name }: { readonly name: string }) =>
    subnet.some(({ target, facts }) => target.name === name && facts.node?.observation.answered === true);
  const start = missing.every(answers) ? '' : `, or start ${those} not run`;
  const add = noAddress ? ', or add p2p to the nodes of the inventory' : '';
  const mute = missing.length === nodes.length ? 'if the bootnode prints nothing at all, give it -verbosity 6; ' : '';
  return fail(
    `the bootnode has not heard ${names} within ${formatDuration(bootnodeWindowMs)}`,
    `open UDP from the p2p ${ports} of ${names}${start}${add}; ${mute}${commandToSeeLog(target)}`,
  );
}
