import type { ChainPart } from '../model/chain.ts';
import { type SetupPart, type SetupResult, setupOf } from '../model/setup.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';
import type { SubnetFacts } from '../model/subnet-facts.ts';

/** One thing of one target or engine: whether it was examined, or why not. */
export interface Examination {
  readonly what: string;
  readonly name: string;
  /** The end of "because …"; absent when it was examined. */
  readonly because?: string;
  readonly fix?: string;
  /** The inventory gives no way to it, or it takes longer than a command does. */
  readonly isExcused?: boolean;
}

/** Something of some targets or engines that could not be examined, and why. */
export interface Unexamined {
  readonly subnet: string;
  readonly what: string;
  readonly names: readonly string[];
  readonly because: string;
  readonly fix?: string;
  /** Whether the inventory gives a way to it, so that it should have been examined. */
  readonly failed: boolean;
}

const PARTS: Readonly<Record<SetupPart, string>> = {
  client: 'the client version, and how fast it answers',
  exposure: 'what the RPC gives to anyone',
  queues: 'what the queue page lets anyone do',
  container: 'how the container was made',
};

const examineChecks = ({ target: { name }, checks }: TargetState): readonly Examination[] =>
  checks.map(({ check, verdict, seen, fix }): Examination => {
    const examination = { what: `the check ${check}`, name };
    if (verdict === 'skipped') return { ...examination, because: seen, isExcused: true };
    return verdict === 'unknown' ? { ...examination, because: seen, ...(fix !== undefined && { fix }) } : examination;
  });

const toExamination = (what: string, name: string, result: SetupResult<unknown>): Examination =>
  result.ok ? { what, name } : { what, name, because: result.why };

function examineSetup({ target }: TargetState, { setup }: SubnetFacts): readonly Examination[] {
  const { name, component, container } = target;
  const parts = setupOf(setup?.observation, target);
  const { client } = parts;
  const read = Object.entries(parts) as readonly (readonly [SetupPart, SetupResult<unknown>])[];
  return [
    ...read.map(([part, result]) => toExamination(PARTS[part], name, result)),
    ...(client?.ok && !client.value.version.ok
      ? [toExamination('the client version', name, client.value.version)]
      : []),
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

function examineChain({ target: { component, name }, facts }: TargetState): readonly Examination[] {
  if (component !== 'node') return [];
  const examination = { what: 'chain id, genesis and consensus settings', name };
  if (facts.node === undefined)
    return [{ ...examination, because: 'the inventory gives no way to ask it', isExcused: true }];
  const chain = facts.node.chain?.observation;
  if (chain === undefined) return [{ ...examination, because: 'it has not answered about them' }];
  const missing = CHAIN.filter((part) => chain.missing[part] !== undefined);
  return [missing.length === 0 ? examination : { ...examination, because: `it did not give ${missing.join(', ')}` }];
}

/** The daemon compares the clocks of nodes all the time; a command may see too few lines. */
function examineClock({ target: { component, name }, facts: { logs } }: TargetState): readonly Examination[] {
  if (component !== 'node' || logs === undefined) return [];
  const examination = { what: 'the clock', name };
  if (logs.clockAheadMs !== undefined) return [examination];
  return [{ ...examination, because: 'its log has shown too few new lines with a time', isExcused: true }];
}

const examineEngines = ({ setup }: SubnetFacts): readonly Examination[] =>
  [...(setup?.observation.engines ?? [])].flatMap(([name, engine]) => {
    const clock = { what: 'the clock of this engine', name };
    const containers = toExamination('the containers of this engine', name, engine);
    const api = { what: 'where the API of this engine is open', name };
    if (!engine.ok) return [containers];
    const drifts = engine.value.projects.flatMap(({ project, drift }) => {
      const what = 'whether the folder of the deployment is what runs';
      return drift ? [{ ...toExamination(what, project, drift), isExcused: true }] : [];
    });
    return [
      ...drifts,
      containers,
      engine.value.clockAheadMs === undefined ? { ...clock, because: 'its answers carry no time' } : clock,
      engine.value.openApis === undefined
        ? { ...api, because: 'it does not say, as behind a socket proxy that blocks /info', isExcused: true }
        : api,
    ];
  });

/** The daemon may listen elsewhere, and the inventory does not say where. */
function examineMonitor({ setup }: SubnetFacts): readonly Examination[] {
  const monitor = setup?.observation.monitor;
  if (monitor === undefined) return [];
  const examination = toExamination('what subnetd itself shows to anyone', 'subnetd', monitor);
  return [monitor.ok ? examination : { ...examination, fix: 'set SUBNETD_LISTEN as for the daemon', isExcused: true }];
}

/** Everything of a subnet that there is to examine. */
export function listExaminations(state: SubnetState): readonly Examination[] {
  const { targets, facts = {} } = state;
  return [
    ...targets.flatMap((target) => [
      ...examineChecks(target),
      ...examineChain(target),
      ...examineClock(target),
      ...examineSetup(target, facts),
    ]),
    ...examineEngines(facts),
    ...examineMonitor(facts),
  ];
}

/** What could not be examined for the same reason is said once. */
export function joinUnexamined(subnet: string, examinations: readonly Examination[]): readonly Unexamined[] {
  const unexamined = examinations.filter(({ because }) => because !== undefined);
  const byReason = Map.groupBy(unexamined, ({ what, because }) => JSON.stringify([what, because]));
  return [...byReason.values()].flatMap((own) => {
    const [first] = own;
    if (first?.because === undefined) return [];
    const { what, because, fix, isExcused = false } = first;
    const names = own.map(({ name }) => name);
    return [{ subnet, what, names, because, ...(fix !== undefined && { fix }), failed: !isExcused }];
  });
}
