import { toIso } from '../lib/duration.ts';
import type { DoubleVote } from '../model/double-vote.ts';
import { NOT_DIAGNOSED, type Standing } from '../model/headline.ts';
import type { Lag } from '../model/lag.ts';
import type { Fate } from '../model/next-set.ts';
import { findSpend, toCoins } from '../model/parent-chain.ts';
import { describeEvidence, type Problem } from '../model/problem.ts';
import { DIRECTIONS, listWallets, readLite } from '../model/relay.ts';
import type { Epoch, Masternode, Quorum, Snapshot } from '../model/snapshot.ts';
import type { SubnetFacts } from '../model/subnet-facts.ts';
import type { Subnet } from '../model/target.ts';
import { formatReason } from '../model/verdict.ts';

/** `/status.json`: times are ISO 8601 in UTC, `lastRun` is null before the first run. */
export interface Status {
  readonly subnets: readonly {
    readonly name: string;
    /** Its state in one sentence: `standing` is ok, warn, bad or off (nobody knows). */
    readonly headline: {
      readonly standing: Standing;
      readonly sentence: string;
      readonly detail: string;
      readonly since?: string;
    };
    /** Its diagnosis breaks: when its headline, quorum and problems were found, or null. Absent while it does not break. */
    readonly brokenDiagnosis?: { readonly foundAt: string | null };
    /** Votes of masternodes; absent while nothing is known of any node. */
    readonly quorum?: Quorum;
    /** The next epoch, predicted until the chain has chosen: its votes, and the masternodes without turns in it. Absent until it can be. */
    readonly nextEpoch?: NonNullable<Epoch['next']> & {
      readonly epoch?: number;
      readonly without: readonly (Pick<Masternode, 'address' | 'name'> & Fate)[];
    };
    /** How the masternodes keep up with each other, by their addresses; absent until anything is known of that. */
    readonly lag?: readonly (Pick<Masternode, 'address' | 'name'> & Lag)[];
    /** What is wrong and why, the worst first. */
    readonly problems: readonly {
      readonly problem: string;
      readonly severity: string;
      readonly subnet: string;
      readonly component?: string;
      readonly name?: string;
      readonly state: string;
      readonly since: string;
      readonly summary: string;
      readonly evidence: string;
      readonly fix: string;
      readonly explains: readonly { readonly component: string; readonly name: string; readonly check: string }[];
      readonly causes: readonly { readonly problem: string; readonly component?: string; readonly name?: string }[];
      readonly alert: string;
      /** The path of the page that says what to do. */
      readonly runbook: string;
      /** Whether somebody had announced it. */
      readonly planned: boolean;
      /** When that work ends. */
      readonly plannedUntil?: string;
      /** Why, and who announced it. */
      readonly plannedReason?: string;
      readonly plannedBy?: string;
      /** Who is on it, and since when. */
      readonly acknowledged?: { readonly by: string; readonly at: string };
    }[];
    /** The newest ones since subnetd was started; absent without any. */
    readonly doubleVotes?: readonly (Omit<DoubleVote, 'at'> & { readonly at: string })[];
    /** What else the relayer does, as last read; absent where nothing of it is known. */
    readonly relay?: {
      /** Packets of XDC-Zero by direction: how many are pending, and when the oldest of them was sent. */
      readonly packets: { readonly [direction: string]: { readonly pending: number; readonly oldest: string | null } };
      /** Of a checkpoint contract in lite mode. */
      readonly checkpoints?: { readonly missed?: number | undefined; readonly buffered: number };
      /** Whole coins, and days, by the name of the wallet. */
      readonly wallets: {
        readonly [wallet: string]: { readonly address: string; readonly balance: number; readonly daysLeft?: number };
      };
    };
    readonly targets: readonly {
      readonly component: string;
      readonly name: string;
      /** Of a node: what it runs, and as which version; absent until it has said so. */
      readonly client?: string;
      readonly version?: string;
      readonly checks: readonly {
        readonly check: string;
        readonly verdict: string;
        readonly reason: string;
        readonly since: string;
        readonly lastRun: string | null;
        /** The problem that explains the failure. */
        readonly because?: { readonly problem: string; readonly component?: string; readonly name?: string };
      }[];
    }[];
  }[];
}

type StatusProblem = Status['subnets'][number]['problems'][number];

const toIsoOrNull = (at: number | undefined, toWall: (at: number) => number): string | null =>
  at === undefined ? null : toIso(toWall(at));

const toStatusProblem = (subnet: string, one: Problem, toWall: (at: number) => number): StatusProblem => ({
  problem: one.problem,
  severity: one.severity,
  subnet,
  component: one.component,
  name: one.name,
  state: one.state,
  since: toIso(toWall(one.since)),
  summary: one.summary,
  evidence: describeEvidence(one, toWall),
  fix: one.fix,
  explains: one.explains,
  causes: one.causes,
  alert: one.alert,
  runbook: `/alerts/${one.alert}?${new URLSearchParams({ subnet, ...(one.name !== undefined && { name: one.name }) })}`,
  planned: one.planned !== undefined,
  ...(one.planned && {
    plannedUntil: toIso(one.planned.until),
    plannedReason: one.planned.reason,
    plannedBy: one.planned.by,
  }),
  ...(one.acknowledged && { acknowledged: { by: one.acknowledged.by, at: toIso(one.acknowledged.at) } }),
});

function toRelay(
  subnet: Subnet,
  facts: SubnetFacts | undefined,
  height: number | undefined,
  toWall: (at: number) => number,
) {
  const packets = DIRECTIONS.flatMap((each) => {
    const { pending, oldestAt } = facts?.relay?.packets[each] ?? {};
    return pending === undefined ? [] : [[each, { pending, oldest: toIsoOrNull(oldestAt, toWall) }] as const];
  });
  const wallets = listWallets(subnet.parentChain, facts).map(({ role, address, wallet }) => {
    const daysLeft = findSpend(wallet)?.daysLeft;
    return [role, { address, balance: toCoins(wallet.balance), ...(daysLeft !== undefined && { daysLeft }) }] as const;
  });
  const checkpoints = readLite(facts, height);
  if (packets.length + wallets.length === 0 && checkpoints === undefined) return {};
  return {
    relay: {
      packets: Object.fromEntries(packets),
      ...(checkpoints && { checkpoints }),
      wallets: Object.fromEntries(wallets),
    },
  };
}

const toNextEpoch = ({ next, number, masternodes }: Epoch) =>
  next && {
    epoch: number === undefined ? undefined : number + 1,
    ...next,
    without: masternodes.flatMap(({ address, name, next: fate }) =>
      fate === undefined || fate.state === 'active' ? [] : [{ address, name, ...fate }],
    ),
  };

const toLag = ({ masternodes }: Epoch) => {
  const known = masternodes.flatMap(({ address, name, lag }) => (lag === undefined ? [] : [{ address, name, ...lag }]));
  return known.length === 0 ? {} : { lag: known };
};

/** A snapshot in the shape of `/status.json`; `toWall` is the clock's. */
export const toStatus = (snapshot: Snapshot, toWall: (at: number) => number): Status => ({
  subnets: snapshot.map(
    ({ subnet, facts, targets, problems, headline = NOT_DIAGNOSED, quorum, epoch, brokenDiagnosis, reference }) => ({
      name: subnet.name,
      headline: { ...headline, since: headline.since === undefined ? undefined : toIso(toWall(headline.since)) },
      ...(brokenDiagnosis && { brokenDiagnosis: { foundAt: toIsoOrNull(brokenDiagnosis.foundAt, toWall) } }),
      quorum,
      nextEpoch: epoch && toNextEpoch(epoch),
      ...(epoch && toLag(epoch)),
      problems: problems.map((problem) => toStatusProblem(subnet.name, problem, toWall)),
      ...(facts?.doubleVotes && {
        doubleVotes: facts.doubleVotes.recent.map((one) => ({ ...one, at: toIso(toWall(one.at)) })),
      }),
      ...toRelay(subnet, facts, reference, toWall),
      targets: targets.map(({ target, checks, facts }) => ({
        component: target.component,
        name: target.name,
        ...(facts.node?.client && { client: facts.node.client.name, version: facts.node.client.version }),
        checks: checks.map((state) => ({
          check: state.check,
          verdict: state.verdict,
          reason: formatReason(state),
          since: toIso(toWall(state.since)),
          lastRun: toIsoOrNull(state.lastRun, toWall),
          because: state.because,
        })),
      })),
    }),
  ),
});
