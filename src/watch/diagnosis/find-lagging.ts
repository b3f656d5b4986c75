import { HOUR_MS } from '../../lib/duration.ts';
import { medianOf } from '../../lib/numbers.ts';
import { joinAnd } from '../../lib/words.ts';
import { type Lag, type LagFacts, leastShare, type Tally } from '../../model/lag.ts';
import type { Suspicion } from '../../model/problem.ts';
import { isSkewed } from '../rules/judge-log-block.ts';
import { fails, findEngine, hasPrinted, type NodeView, type SubnetView } from './subnet-view.ts';
import { suspectTarget } from './suspect.ts';

const shareOf = ({ hits, of }: Tally): number => hits / of;

const round = (share: number): number => Math.round(share * 10_000) / 10_000;

/** Of fewer turns a share says little: one that was missed of two is a half. */
const LEAST_SHOWN = 20;

/** How a masternode keeps up, by its address and its node; undefined while nothing is known of that. */
export function viewLag(facts: LagFacts | undefined, address: string, node: string | undefined): Lag | undefined {
  const [turns, votes] = [facts?.turns.get(address), facts?.votes.get(address)];
  const { blocks: _, ...blocks } = (node === undefined ? undefined : facts?.blocks.get(node)) ?? { blocks: 0 };
  if (turns === undefined && votes === undefined && !('delayMs' in blocks)) return undefined;
  return {
    ...(turns &&
      turns.of >= LEAST_SHOWN && { missedShare: round(shareOf(turns)), missedAtLeast: round(leastShare(turns)) }),
    ...(votes && { votesLateShare: round(shareOf(votes)) }),
    ...blocks,
  };
}

/** With fewer turns nobody is named or compared with: of three or four that miss some, two may have missed none yet. */
const LEAST_TURNS = 100;

/** A share of missed turns stands out from so many times that of the others, and so much more. */
const ABOVE = { times: 2, share: 0.02 };

/** One event is chance, and so are a few. */
const LEAST_TIMES = 3;

/** With its least share, hardly one of a hundred masternodes makes so many blocks in a row, in turns for each miss. */
const STILL_MISSES = 5;

/** From half of the mine period on, but not below this, a delay is worth a word. Many logs have whole seconds. */
const LEAST_DELAY_MS = 1_000;

const percent = (share: number): string =>
  `${share > 0 && share < 0.01 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;

/** A delay as people compare it: `850 ms`, `1.4 s`. */
const formatSpan = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** What the other masternodes have in the middle, of two in the middle the more; undefined without any. */
function usualOf<T>(all: ReadonlyMap<string, T>, own: string, read: (one: T) => number | undefined) {
  const others = [...all].flatMap(([key, one]) => (key === own ? [] : (read(one) ?? [])));
  return others.sort((one, other) => one - other)[others.length >> 1];
}

/** The turns of a masternode and the usual share of the others, if this one misses clearly more of its turns than that. */
function findMisses({ turns }: LagFacts, address: string) {
  const own = turns.get(address);
  if (own === undefined) return undefined;
  const least = leastShare(own);
  if (own.of < LEAST_TURNS || own.times <= LEAST_TIMES || least <= ABOVE.share) return undefined;
  const usual = usualOf(turns, address, (one) => (one.of < LEAST_TURNS ? undefined : shareOf(one)));
  const standsOut = usual !== undefined && least > usual * ABOVE.times + ABOVE.share;
  return standsOut && own.clean * least <= STILL_MISSES ? { turns: own, usual } : undefined;
}

/** What a node has and the others usually have: NaN where that is not known, which is neither more nor less than anything. */
function compare({ nodes }: SubnetView, node: NodeView, read: (one: NodeView) => number | undefined) {
  const others = nodes.flatMap((one) => (one === node ? [] : (read(one) ?? [])));
  return { own: read(node) ?? Number.NaN, usual: medianOf(others) ?? Number.NaN };
}

/** What is three times as long as that of the others, and not short. */
const isFar = ({ own, usual }: ReturnType<typeof compare>, leastMs: number): boolean =>
  own >= leastMs && own >= 3 * usual;

/** What sets a node apart from the others, as far as that is known: `own` is of its machine. */
function tellApart(view: SubnetView, node: NodeView) {
  const { nodes, now, facts } = view;
  const imports = compare(view, node, ({ name }) => facts.lag?.blocks.get(name)?.importMs);
  const answers = compare(view, node, ({ setup: { client } }) =>
    client?.ok ? medianOf(client.value.tookMs) : undefined,
  );
  const { memoryBytes = 0, memoryLimitBytes = Number.POSITIVE_INFINITY } =
    node.container.kind === 'running' ? node.container.container : {};
  const own = [
    isFar(imports, 50) &&
      `it takes ${formatSpan(imports.own)} to import a block, the others ${formatSpan(imports.usual)}`,
    isFar(answers, 100) &&
      `it answers JSON-RPC in ${formatSpan(answers.own)}, the others in ${formatSpan(answers.usual)}`,
    memoryBytes >= 0.9 * memoryLimitBytes && 'its container is near its memory limit',
    facts.disks?.some(({ level, targets }) => level !== undefined && targets.includes(node.name)) &&
      'its disk is filling up',
    hasPrinted(node, 'vote_too_late', now, HOUR_MS) && 'its log says that its votes come too late',
  ].filter((one) => typeof one === 'string');
  const others = nodes.filter((one) => one !== node);
  const machine = findEngine(node.target);
  const peers = compare(view, node, (one) => one.peers);
  const version = node.state.facts.node?.client?.version;
  const versions = others.flatMap(({ state }) => state.facts.node?.client?.version ?? []);
  const place = [
    machine !== undefined &&
      others.length > 1 &&
      others.every((one) => findEngine(one.target) !== machine) &&
      `it alone runs on the Docker Engine ${machine}`,
    peers.own < peers.usual && `it has ${peers.own} peers, most others ${peers.usual}`,
    version !== undefined && versions.length > 0 && !versions.includes(version) && `it alone runs ${version}`,
  ].filter((one) => typeof one === 'string');
  return { own, place, isQuick: imports.own + imports.usual >= 0 && own.length === 0 };
}

const LOOK_AT_MACHINE =
  'see what its machine is short of with `docker stats --no-stream` and `iostat -x 5 3`: processor, memory or disk';
const LOOK_AT_PATH = 'measure the path to the machines of the others, for example with `mtr`, and look at its peers';

/** A masternode that falls behind the others: in its turns, with the usual share that is missed of them, or in its blocks. */
function findLaggard(view: SubnetView, lag: LagFacts, address: string) {
  const node = view.masters.get(address);
  if (node === undefined) return undefined;
  // What keeps it from taking part is a problem of its own, and so is a wrong clock. A slow node fails now and then.
  const isKnown = view.before.get({ problem: 'node_lags', component: 'node', name: node.name })?.state === 'open';
  if (node.isOut || node.isStarting || (!isKnown && fails(node, 'latest_block'))) return undefined;
  const blocks = lag.blocks.get(node.name);
  const lateMs = Math.max(LEAST_DELAY_MS, (view.chain.consensus?.minePeriodMs ?? 0) / 2);
  const late = blocks !== undefined && blocks.delayMs >= lateMs ? blocks : undefined;
  const missed = findMisses(lag, address);
  if (missed === undefined && late === undefined) return undefined;
  const clocks = compare(view, node, ({ state }) => state.facts.logs?.clockAheadMs);
  if (isSkewed((clocks.own || 0) - (clocks.usual || 0))) return undefined;
  return { node, missed, late };
}

type Laggard = NonNullable<ReturnType<typeof findLaggard>>;

/** In what it falls behind, in figures beside those of the others. */
function describeLag({ missed, late }: Laggard, lag: LagFacts, address: string) {
  const votes = lag.votes.get(address);
  const usual = usualOf(lag.votes, address, shareOf);
  return [
    missed &&
      `${percent(shareOf(missed.turns))} of its latest turns brought no block (at least ${percent(leastShare(missed.turns))}, allowing for chance), against ${percent(missed.usual)} of those of most others`,
    late &&
      `in its log a block comes ${formatSpan(Math.max(0, late.delayMs))} later than in half of the logs, one in 20 ${formatSpan(Math.max(0, late.delayP95Ms))} or more`,
    votes &&
      usual !== undefined &&
      `${percent(shareOf(votes))} of the rounds reached their quorum without its vote, and ${percent(usual)} without that of most others`,
  ];
}

/** What sets it apart, and where to look for that. */
function explainLag(view: SubnetView, { node, late }: Laggard, hasBlocks: boolean) {
  const { own, place, isQuick } = tellApart(view, node);
  const look =
    own.length > 0
      ? LOOK_AT_MACHINE
      : isQuick && late
        ? LOOK_AT_PATH
        : `${LOOK_AT_MACHINE}; if nothing stands out, ${LOOK_AT_PATH}`;
  const apart = [...own, ...place];
  const alike =
    !isQuick || !hasBlocks
      ? 'nothing else that subnetd reads sets it apart, so processor, disk and path cannot be told apart from here'
      : late
        ? 'it imports blocks as fast as the others, so they reach it late'
        : 'it gets and imports blocks as fast as the others, so what keeps its own blocks back cannot be told from here';
  return { known: apart.length > 0 ? `what sets it apart: ${joinAnd(apart)}` : alike, look };
}

/** Who is always last, named by what it misses or by when its log shows blocks, before the chain leaves it out. */
export function findLagging(view: SubnetView): readonly Suspicion[] {
  const { lag } = view.facts;
  if (lag === undefined) return [];
  return (view.chain.masternodes?.active ?? []).flatMap((address) => {
    const laggard = findLaggard(view, lag, address);
    if (laggard === undefined) return [];
    const { node, missed } = laggard;
    const { known, look } = explainLag(view, laggard, lag.blocks.has(node.name));
    return suspectTarget('node_lags', node, {
      summary: `${node.name} ${missed ? 'misses more of its turns' : 'is later'} than the others`,
      evidence: [...describeLag(laggard, lag, address), known].filter(Boolean).join('; '),
      fix: `${look}. A masternode that makes no block in a part of an epoch is penalised`,
    });
  });
}
