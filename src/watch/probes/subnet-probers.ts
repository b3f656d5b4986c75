import { loadOnce } from '../../lib/promises.ts';
import { mayBeLast, type ParentObservation } from '../../model/parent-chain.ts';
import { containerSetupOf } from '../../model/setup.ts';
import type { SubnetObservation, SubnetProbeKind, SubnetProber } from '../../model/subnet-facts.ts';
import type { Subnet } from '../../model/target.ts';
import { createDiskSource } from './disk-source.ts';
import { createGovernanceProber } from './governance-prober.ts';
import { createNextSetSource } from './next-set-source.ts';
import { createParentProber } from './parent-prober.ts';
import { createSetupSource } from './setup/create-setup-source.ts';
import type { SetupTools } from './setup/setup-tools.ts';

/** What the probes of all subnets share. */
export interface SubnetProberTools extends SetupTools {
  /** The folders in which subnetd itself writes, for the one subnet that tells of them. */
  readonly ownFolders: (subnet: string) => readonly string[];
}

/** A probe of one kind. */
interface Source<Kind extends SubnetProbeKind>
  extends Pick<
    SubnetProber,
    'everyMs' | 'firstAfterMs' | 'isOutdatedBy' | 'doubtedAfterMs' | 'isProjectOutdated' | 'close'
  > {
  readonly probe: (signal: AbortSignal) => Promise<SubnetObservation<Kind>>;
}

/** All of a subnet that a kind of probe reads, and the probe; undefined when the inventory gives it nothing to probe. */
interface Definition<Kind extends SubnetProbeKind> {
  readonly inputs: (subnet: Subnet) => unknown;
  /** What the facts are about, where that is less: they stay when a new probe reads the same. */
  readonly subject?: (subnet: Subnet) => unknown;
  readonly create: (subnet: Subnet, tools: SubnetProberTools) => Source<Kind> | undefined;
}

/**
 * The parent chain is read this often, and this soon again when something is wrong or its newest block may be the last one; later when that
 * is old, or the node has had too many requests.
 */
export const PARENT_MS = 30_000;
const PARENT_AGAIN_MS = 5_000;
const PARENT_LATER_MS = 10_000;
const OLD_MS = 120_000;

/** What else the relayer does is read this often, from soon after the first rounds on. */
const RELAY_MS = 60_000;
const RELAY_FIRST_MS = 5_000;

/** What seldom changes is read after everything else, and of many subnets not at once. */
const toGovernanceStart = (subnet: string): number =>
  20_000 + [...subnet].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % RELAY_MS, 0);

/** There is a checkpoint contract, which would take the next block as far as anybody knows. */
const isWell = (contract: NonNullable<ParentObservation['contract']>): boolean =>
  contract.ok && contract.value.kind === 'checkpoint' && contract.value.checkpoint.next?.refusal === undefined;

/** Somebody is about to fill a wallet with less than this part of the most that it has had. */
const EMPTY_PART = 100n;

/** How soon a parent chain should be read again, at `wallMs` in Unix milliseconds, if sooner than usual. The wallet has had `most`. */
export function findAgainMs(
  { head, paceMs, contract, balance }: ParentObservation,
  wallMs: number,
  most = 0n,
): number | undefined {
  if (!head.ok) return head.why.includes('429') ? PARENT_LATER_MS : PARENT_AGAIN_MS;
  const ageMs = wallMs - head.value.timestamp * 1000;
  const isPressing = (contract !== undefined && !isWell(contract)) || mayBeLast(ageMs, paceMs);
  if (isPressing) return ageMs < OLD_MS ? PARENT_AGAIN_MS : PARENT_LATER_MS;
  return balance?.ok && balance.value * EMPTY_PART < most ? PARENT_LATER_MS : undefined;
}

const definitions: { readonly [Kind in SubnetProbeKind]: Definition<Kind> } = {
  parent: {
    inputs: ({ parentChain, consensus, targets }) =>
      parentChain && {
        parentChain,
        consensus,
        nodes: targets.map((one) => one.component === 'node' && one.rpc && [one.rpc, one.login]),
      },
    subject: ({ parentChain }) => parentChain,
    create: (subnet, { keepsConnections, wall }) => {
      const { parentChain } = subnet;
      if (parentChain === undefined) return undefined;
      const { probe, doubt, close } = createParentProber(parentChain, subnet, { keepsAlive: keepsConnections });
      let most = 0n;
      return {
        everyMs: PARENT_MS,
        probe: async (signal) => {
          const seen = await probe(signal);
          if (seen.balance?.ok && seen.balance.value > most) most = seen.balance.value;
          const againMs = findAgainMs(seen, wall(), most);
          return { kind: 'parent', seen, ...(againMs !== undefined && { againMs }) };
        },
        doubtedAfterMs: ({ component }) => (component === 'relayer' ? doubt() : undefined),
        close,
      };
    },
  },
  relay: {
    inputs: ({ parentChain, targets }) =>
      parentChain?.contract && {
        parentChain,
        nodes: targets.map((one) => one.component === 'node' && one.rpc && [one.rpc, one.login]),
      },
    subject: ({ parentChain }) => parentChain,
    create: (subnet) => {
      const { parentChain } = subnet;
      if (parentChain?.contract === undefined) return undefined;
      // viem is loaded when it is first needed.
      const prober = loadOnce(async () => (await import('./relay-prober.ts')).createRelayProber(parentChain, subnet));
      let open: Awaited<ReturnType<typeof prober.get>> | undefined;
      return {
        everyMs: RELAY_MS,
        firstAfterMs: RELAY_FIRST_MS,
        probe: async (signal) => {
          open = await prober.get();
          return { kind: 'relay', seen: await open.probe(signal) };
        },
        close: () => open?.close(),
      };
    },
  },
  governance: {
    inputs: ({ parentChain, targets }) => ({
      contract: parentChain && [parentChain.rpc, parentChain.contract],
      nodes: targets.map((one) => one.component === 'node' && one.rpc && [one.rpc, one.login]),
    }),
    subject: ({ parentChain }) => parentChain?.contract,
    create: (subnet) => {
      if (!subnet.targets.some((one) => one.component === 'node' && one.rpc)) return undefined;
      const { probe, close } = createGovernanceProber(subnet);
      const read = async (signal: AbortSignal) => ({ kind: 'governance', seen: await probe(signal) }) as const;
      return { everyMs: RELAY_MS, firstAfterMs: toGovernanceStart(subnet.name), probe: read, close };
    },
  },
  setup: {
    inputs: ({ targets }) => targets,
    create: (subnet, tools) => createSetupSource(subnet, tools),
  },
  disks: {
    inputs: ({ targets }) => targets,
    create: (subnet, { ownFolders, known }) =>
      createDiskSource(subnet, ownFolders(subnet.name), (target) => containerSetupOf(known.get(target)?.setup ?? {})),
  },
  election: {
    inputs: ({ consensus, targets }) => ({
      consensus,
      nodes: targets.map((one) => one.component === 'node' && one.rpc && [one.rpc, one.login]),
    }),
    create: (subnet, { keepsConnections }) =>
      subnet.targets.some((one) => one.component === 'node' && one.rpc !== undefined)
        ? createNextSetSource(subnet, keepsConnections)
        : undefined,
  },
};

export const SUBNET_PROBE_KINDS = Object.keys(definitions) as readonly SubnetProbeKind[];

/** All of the inventory that a probe depends on. After a reload, a probe with the same inputs keeps running. */
export const subnetProberInputs = (kind: SubnetProbeKind, subnet: Subnet): unknown => definitions[kind].inputs(subnet);

/** All of the inventory that the facts of a probe depend on. After a reload, facts with the same subject stay. */
export function subnetFactsSubject(kind: SubnetProbeKind, subnet: Subnet): unknown {
  const { inputs, subject = inputs }: Definition<SubnetProbeKind> = definitions[kind];
  return subject(subnet);
}

/** The probe of one kind for a subnet as a whole; undefined when the inventory gives it nothing to probe. */
export function createSubnetProber(
  kind: SubnetProbeKind,
  subnet: Subnet,
  tools: SubnetProberTools,
): SubnetProber | undefined {
  const source = definitions[kind].create(subnet, tools);
  return source && { kind, ...source };
}
