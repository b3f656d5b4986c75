import { formatDuration, MINUTE_MS } from '../../lib/duration.ts';
import { formatRange, listNames } from '../../lib/words.ts';
import { type RoundSettings, timeoutMs } from '../../model/chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { consensusOf, hasTurns, type Masternode, type Quorum, type SubnetState } from '../../model/snapshot.ts';
import type { StopForecast } from '../../model/stop-forecast.ts';
import type { Target } from '../../model/target.ts';

/** Three rounds in a row must bring a block each, so that the first of them is final. */
const COMMIT_ROUNDS = 3;

/** One masternode in the order of turns. */
type Seat = Pick<Masternode, 'name' | 'alsoOf' | 'presumed' | 'vote' | 'isDoubtful'>;

/** Those whose turn comes, in order; the nodes themselves until the chain has named its masternodes. */
function findSeats({ epoch, members = [] }: SubnetState): readonly Seat[] {
  const all: readonly Seat[] =
    epoch?.masternodes ?? members.flatMap(({ name, vote }) => (vote === undefined ? [] : [{ name, vote }]));
  return all.filter(hasTurns);
}

/** How blocks come when each turn of those who are away times out. Somebody must be there. */
export function findPace(
  areThere: readonly boolean[],
  settings: RoundSettings,
): { readonly blocksPerMinute: number; readonly commits: boolean } {
  const first = areThere.indexOf(true);
  // From somebody who is there on, so that all who are away in a row are counted together.
  const turns = [...areThere.slice(first), ...areThere.slice(0, first)];
  let ms = 0;
  let away = 0;
  let inRow = 0;
  let most = 0;
  // Twice: who comes last in the order stands before who comes first.
  for (const [index, isThere] of [...turns, ...turns].entries()) {
    inRow = isThere ? inRow + 1 : 0;
    most = Math.max(most, inRow);
    if (index >= turns.length) continue;
    ms += isThere ? settings.minePeriodMs : timeoutMs(settings, away);
    away = isThere ? 0 : away + 1;
  }
  const blocks = turns.filter(Boolean).length;
  return { blocksPerMinute: (blocks * MINUTE_MS) / ms, commits: most >= Math.min(COMMIT_ROUNDS, 2 * turns.length) };
}

/** What each service would do. `gone`: the names of the nodes of its subnet that are stopped. */
function describeServices(
  targets: readonly Target[],
  stopped: ReadonlySet<Target>,
  gone: ReadonlySet<string>,
  halts: boolean,
): readonly string[] {
  return targets.flatMap((target) => {
    const { component, name } = target;
    if (component === 'node') return [];
    const who = component === 'stats' ? 'the stats server' : `the ${name}`;
    if (stopped.has(target))
      return component === 'relayer'
        ? ['no block of the subnet reaches the parent chain while the relayer is stopped']
        : component === 'bootnode'
          ? ['a node that starts meanwhile finds no peers by the bootnode']
          : [`nobody sees ${who} meanwhile`];
    if (!('readsFrom' in target) || target.readsFrom === undefined) return [];
    const what = component === 'relayer' ? 'submits nothing' : 'shows no new block';
    if (gone.has(target.readsFrom)) return [`${who} reads from ${target.readsFrom} and ${what} until it is back`];
    return halts ? [`${who} ${what}, as no block comes`] : [];
  });
}

/** How the chain would go on. `quietMs`: the age of its newest block, if that is late; infinite in a halt. */
function describeChain(
  subnet: string,
  { total, required }: Pick<Quorum, 'total' | 'required'>,
  { least, most }: { readonly least: number; readonly most: number },
  quietMs: number,
): string {
  const isHalted = quietMs === Number.POSITIVE_INFINITY;
  const votes = `${formatRange(least, most)} of ${total} masternodes ${most === 1 ? 'votes' : 'vote'}, ${required} needed`;
  if (most < required) return `${subnet} ${isHalted ? 'stays halted' : 'halts'}: ${votes}`;
  if (least < required) return `nobody knows whether ${subnet} halts: ${votes}`;
  if (quietMs > 0)
    return `enough masternodes of ${subnet} can vote, yet ${isHalted ? 'it is halted now' : `no block has come for ${formatDuration(quietMs)}`}`;
  const spare = least - required;
  return `${subnet} makes blocks: ${votes}, ${spare === 0 ? 'so no other may fail' : `so ${spare} more may fail`}`;
}

/** What would become of a subnet if these of its targets were stopped now, by what is known of it. */
export function forecastStop(state: SubnetState, stopped: ReadonlySet<Target>): StopForecast {
  const { subnet, quorum, problems } = state;
  const named = subnet.targets.filter((target) => stopped.has(target));
  const gone = new Set(named.flatMap(({ component, name }) => (component === 'node' ? [name] : [])));
  // Nodes with one key are one masternode.
  const isGone = ({ presumed, name = presumed, alsoOf = [] }: Seat) =>
    name !== undefined && [name, ...alsoOf].every((one) => gone.has(one));
  const seats = findSeats(state);
  const isThere = (name: ProblemName) => problems.some((one) => one.problem === name && one.state !== 'clearing');
  const quietMs = isThere('subnet_halted') ? Number.POSITIVE_INFINITY : (state.quietMs ?? 0);
  const known = quorum === undefined || seats.length === 0 ? undefined : quorum;
  const there = seats.filter((seat) => !isGone(seat) && seat.vote !== 'silent');
  const sure = there.filter(({ vote, isDoubtful }) => vote === 'votes' && !isDoubtful);
  const voting = { least: sure.length, most: there.length };
  const halts = known !== undefined && voting.most < known.required;
  const goesOn = known !== undefined && voting.least >= known.required && quietMs === 0;
  const consensus = goesOn ? consensusOf(state) : undefined;
  const areThere = seats.map((seat) => sure.includes(seat));
  const pace = consensus && findPace(areThere, consensus);
  // What keeps blocks from being committed now may go on.
  const isUncommitted = pace?.commits === true && isThere('finality_stalled');
  const lost = seats.filter((seat) => isGone(seat) && seat.vote !== 'silent').length;
  const slower =
    pace === undefined || lost === 0
      ? []
      : [
          `about ${Number(pace.blocksPerMinute.toPrecision(2))} blocks a minute come, as each turn of ${lost === 1 ? listNames([...gone]) : 'those who are stopped'} times out`,
          ...(pace.commits ? [] : ['no block is final, as three rounds in a row never bring one each']),
        ];
  return {
    subnet: subnet.name,
    stopped: named.map(({ name }) => name),
    makesBlocks: halts ? false : goesOn ? true : null,
    commitsBlocks: halts ? false : isUncommitted ? null : (pace?.commits ?? null),
    voting: known === undefined ? null : voting,
    required: known?.required ?? null,
    total: known?.total ?? null,
    blocksPerMinute: halts ? 0 : (pace?.blocksPerMinute ?? null),
    effects: [
      known === undefined
        ? `nothing is known about the votes of ${subnet.name} now`
        : describeChain(subnet.name, known, voting, quietMs),
      ...slower,
      ...(isUncommitted ? ['no block is committed now, and nobody knows whether one will be'] : []),
      ...describeServices(subnet.targets, stopped, gone, halts),
    ],
  };
}
