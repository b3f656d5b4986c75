import type { ChainPart } from '../model/chain.ts';
import { type SetupPart, type SetupResult, setupOf } from '../model/setup.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';
import type { SubnetFacts } from '../model/subnet-facts.ts';

/** One thing of one target or engine: whether it was looked at, or why not. */
export interface Look {
  readonly what: string;
  readonly name: string;
  /** The end of "because …"; absent when it was looked at. */
  readonly because?: string;
  readonly fix?: string;
  /** The inventory gives no way to it, or it takes longer than a command does. */
  readonly isExcused?: boolean;
}

/** Something of some targets or engines that could not be looked at, and why. */
export interface Unseen {
  readonly subnet: string;
  readonly what: string;
  readonly names: readonly string[];
  readonly because: string;
  readonly fix?: string;
  /** Whether the inventory gives a way to it, so that it should have been looked at. */
  readonly failed: boolean;
}

const PARTS: Readonly<Record<SetupPart, string>> = {
  client: 'the client version, and how fast it answers',
  exposure: 'what the RPC gives to strangers',
  queues: 'what the queue page lets strangers do',
  container: 'how the container was made',
};

const looksAtChecks = ({ target: { name }, checks }: TargetState): readonly Look[] =>
  checks.map(({ check, verdict, seen, fix }): Look => {
    const look = { what: `the check ${check}`, name };
    if (verdict === 'skipped') return { ...look, because: seen, isExcused: true };
    return verdict === 'unknown' ? { ...look, because: seen, ...(fix !== undefined && { fix }) } : look;
  });

const toLook = (what: string, name: string, result: SetupResult<unknown>): Look =>
  result.ok ? { what, name } : { what, name, because: result.why };

function looksAtSetup({ target }: TargetState, { setup }: SubnetFacts): readonly Look[] {
  const { name, component, container } = target;
  const parts = setupOf(setup?.observation, target);
  const { client } = parts;
  const read = Object.entries(parts) as readonly (readonly [SetupPart, SetupResult<unknown>])[];
  return [
    ...read.map(([part, result]) => toLook(PARTS[part], name, result)),
    ...(client?.ok && !client.value.version.ok ? [toLook('the client version', name, client.value.version)] : []),
    ...(container === undefined
      ? [{ what: PARTS.container, name, because: 'the inventory names no container', isExcused: true }]
      : []),
    ...(component === 'node' && client === undefined
      ? [{ what: PARTS.client, name, because: 'the inventory names neither rpc nor ipc', isExcused: true }]
      : []),
  ];
}

/** What makes a chain the same on all nodes. */
const CHAIN: readonly ChainPart[] = ['chainId', 'genesis', 'consensus'];

function looksAtChain({ target: { component, name }, facts }: TargetState): readonly Look[] {
  if (component !== 'node') return [];
  const look = { what: 'chain id, genesis and consensus settings', name };
  if (facts.node === undefined) return [{ ...look, because: 'the inventory gives no way to ask it', isExcused: true }];
  const chain = facts.node.chain?.observation;
  if (chain === undefined) return [{ ...look, because: 'it has not answered about them' }];
  const missing = CHAIN.filter((part) => chain.missing[part] !== undefined);
  return [missing.length === 0 ? look : { ...look, because: `it did not give ${missing.join(', ')}` }];
}

/** The daemon compares the clocks of nodes all the time; a command may see too few lines. */
function looksAtClock({ target: { component, name }, facts: { logs } }: TargetState): readonly Look[] {
  if (component !== 'node' || logs === undefined) return [];
  const look = { what: 'the clock', name };
  if (logs.clockAheadMs !== undefined) return [look];
  return [{ ...look, because: 'its log has shown too few new lines with a time', isExcused: true }];
}

const looksAtEngines = ({ setup }: SubnetFacts): readonly Look[] =>
  [...(setup?.observation.engines ?? [])].flatMap(([name, engine]) => {
    const clock = { what: 'the clock of this engine', name };
    const containers = toLook('the containers of this engine', name, engine);
    const api = { what: 'where the API of this engine is open', name };
    if (!engine.ok) return [containers];
    return [
      containers,
      engine.value.clockAheadMs === undefined ? { ...clock, because: 'its answers carry no time' } : clock,
      engine.value.openApis === undefined
        ? { ...api, because: 'it does not say so, as when a socket proxy lets nobody read /info', isExcused: true }
        : api,
    ];
  });

/** Everything of a subnet that there is to look at. */
export function listLooks(state: SubnetState): readonly Look[] {
  const { targets, facts = {} } = state;
  return [
    ...targets.flatMap((target) => [
      ...looksAtChecks(target),
      ...looksAtChain(target),
      ...looksAtClock(target),
      ...looksAtSetup(target, facts),
    ]),
    ...looksAtEngines(facts),
  ];
}

/** What could not be looked at for the same reason is said once. */
export function joinUnseen(subnet: string, looks: readonly Look[]): readonly Unseen[] {
  const unseen = looks.filter(({ because }) => because !== undefined);
  const byReason = Map.groupBy(unseen, ({ what, because }) => JSON.stringify([what, because]));
  return [...byReason.values()].flatMap((own) => {
    const [first] = own;
    if (first?.because === undefined) return [];
    const { what, because, fix, isExcused = false } = first;
    const names = own.map(({ name }) => name);
    return [{ subnet, what, names, because, ...(fix !== undefined && { fix }), failed: !isExcused }];
  });
}
