import type { WatchedMs } from '../../lib/clock.ts';
import { formatCount } from '../../lib/words.ts';
import { CHAIN_PARTS, type ChainObservation, type ChainPart } from '../../model/chain.ts';
import type { Client, Method } from '../../model/client.ts';
import type { AskedAndAnswered, Exchange } from '../../model/exchange.ts';
import { nameDockerFault, nameFault, nameNoPage, statusOfFault } from '../../model/name-fault.ts';
import type {
  ContainerObservation,
  Fault,
  NodeCall,
  NodeObservation,
  PageObservation,
  Result,
} from '../../model/observation.ts';
import type { TargetState } from '../../model/snapshot.ts';
import {
  type ContainerRef,
  isAttachOnly,
  type NodeTarget,
  type RoundName,
  SERVICE_PATHS,
  type ServiceTarget,
} from '../../model/target.ts';
import { clientOf } from './clients.ts';

/** Texts are made of what was parsed, so they are short; a text of an inventory may be longer. */
const MAX_TEXT = 300;
const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);

/** The address without user info, path and query. */
const toOrigin = (url: string | undefined): string => {
  const parsed = URL.parse(url ?? '');
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

const toWords = ({ method, params }: Method): string => `${method}${params.length === 0 ? '' : JSON.stringify(params)}`;

function toCall<T>(asked: string, result: Result<T>, show: (value: T) => string): AskedAndAnswered {
  const answered = cut(result.ok ? show(result.value) : nameFault(result.fault));
  return { asked: cut(asked), answered, isFault: !result.ok };
}

/** When a check of a round ran last, and how long its probe took. */
function findRun(
  { checks }: TargetState,
  round: RoundName,
): { readonly at: WatchedMs; readonly tookMs?: number } | undefined {
  const check = checks.find((one) => one.round === round && one.lastRun !== undefined);
  if (check?.lastRun === undefined) return undefined;
  const { lastRun: at, durationSeconds } = check;
  return { at, ...(durationSeconds !== undefined && { tookMs: Math.round(durationSeconds * 10_000) / 10 }) };
}

const faultOf = (result: Result<unknown> | undefined): readonly Fault[] =>
  result === undefined || result.ok ? [] : [result.fault];

const describeBlock = ({ number, timestamp }: { readonly number: number; readonly timestamp?: number }): string =>
  timestamp === undefined ? `block ${number}` : `block ${number} of ${toTime(timestamp)}`;

/** A node may give any number as the time of a block. */
const toTime = (unixSeconds: number): string =>
  unixSeconds < 8e12 ? new Date(unixSeconds * 1_000).toISOString() : 'no time';

const NOT_FOUND: Fault = { kind: 'rpc-error', code: -32601, known: 'method-not-found' };
const countPeers = ({ count }: { readonly count: number }): string => `${count} peers`;

/** What a probe of a node was answered to one of its calls. */
function answerOf(name: NodeCall, seen: NodeObservation, asked: string): AskedAndAnswered {
  const { latest, committed, peers, answered } = seen;
  if (name === 'version' && seen.client) return { asked, answered: seen.client.version, isFault: false };
  if (!answered || name === 'latest') return toCall(asked, latest, describeBlock);
  if (name === 'committed' && committed) return toCall(asked, committed, describeBlock);
  const isOverSocket = seen.isPeersByIpc === true && seen.ipcFault === undefined;
  if (name === 'committed' || name === 'modules' || name === 'version' || (name === 'net_peerCount' && isOverSocket))
    return { asked, answered: 'not kept', isFault: false };
  // The second method is asked for only where the first one is missing.
  const isMissing = peers === undefined || (name === 'admin_peers' && seen.asked?.includes('net_peerCount') === true);
  return toCall(asked, isMissing ? { ok: false, fault: NOT_FOUND } : peers, countPeers);
}

function statusOf({ answered, latest, committed, peers }: NodeObservation): number | undefined {
  if (latest.ok || answered) return 200;
  const statuses = [latest, committed, peers].flatMap(faultOf).map(statusOfFault);
  return statuses.find((status) => status !== undefined);
}

/** The way to a container, as the inventory names it. */
const nameContainer = (ref: ContainerRef): string =>
  'name' in ref ? ref.name : `service ${ref.service} of ${ref.project}`;

function findNodeExchanges(state: TargetState, target: NodeTarget, consensus: string): readonly Exchange[] {
  const { node } = state.facts;
  const isAttach = isAttachOnly(target);
  const run = findRun(state, isAttach ? 'console' : 'rpc');
  if (node === undefined || run === undefined) return [];
  const { observation } = node;
  const client = clientOf({ target, facts: state.facts });
  const methods = client.calls(consensus);
  const isIpc = target.rpc === undefined;
  const to = isAttach
    ? `docker exec in ${target.container ? nameContainer(target.container) : ''}: XDC attach`
    : isIpc
      ? `unix:${target.ipc}`
      : `POST ${toOrigin(target.rpc)}`;
  const asked: readonly NodeCall[] = observation.asked ?? [
    'latest',
    ...(observation.peers ? ['admin_peers' as const] : []),
  ];
  const calls = asked.map((name) => answerOf(name, observation, toWords(methods[name])));
  const status = isIpc ? undefined : statusOf(observation);
  const found: Exchange[] = [{ kind: 'node', to: cut(to), ...run, ...(status !== undefined && { status }), calls }];
  if (observation.isPeersByIpc) {
    const { ipcFault, peers } = observation;
    const peersByIpc = ipcFault === undefined ? peers : ({ ok: false, fault: ipcFault } as const);
    const words = toWords(methods.admin_peers);
    if (peersByIpc)
      found.push({
        kind: 'node',
        to: cut(`unix:${target.ipc}`),
        at: run.at,
        calls: [toCall(words, peersByIpc, countPeers)],
      });
  }
  if (node.chain) {
    const { observation: seen, at } = node.chain;
    found.push({
      kind: 'chain',
      to: cut(to),
      at,
      calls: toChainCalls(seen, client, consensus, observation.isPeersByIpc),
    });
  }
  return found;
}

/** How each part of an answer about the chain is written. */
const PARTS: { readonly [Part in ChainPart]: (value: NonNullable<ChainObservation[Part]>) => string } = {
  chainId: String,
  genesis: String,
  address: String,
  nodeId: (id) => `${id}…`,
  peerIds: (ids) => `${ids.length} peers`,
  consensus: ({ epoch, minePeriodMs, timeoutPeriodMs, certificateThreshold }) =>
    `epoch of ${epoch} blocks, ${minePeriodMs} ms a block, ${timeoutPeriodMs} ms until a timeout, a quorum of ${certificateThreshold}`,
  masternodes: ({ number, round, active, standby, penalised }) =>
    `block ${number} of round ${round}: ${active.length} masternodes, ${standby.length} on standby, ${penalised.length} penalised`,
  missedRounds: ({ epochBlock, rounds }) => `${rounds.length} rounds without a block since block ${epochBlock}`,
  nextEpoch: ({ candidates, penalised }) => `${candidates.length} candidates, ${penalised.length} of them penalised`,
  pool: ({ voteRounds, timeouts }) => `${voteRounds} rounds with votes, ${timeouts} with timeouts`,
  block: ({ hash }) => hash,
  syncing: String,
};

function toChainCalls(
  seen: ChainObservation,
  client: Client,
  consensus: string,
  isMeshByIpc = false,
): readonly AskedAndAnswered[] {
  const methods = client.chainCalls(consensus, { mark: seen.block?.number, next: seen.nextEpoch?.block });
  const nameCall = (part: ChainPart): string => {
    const method = methods[part];
    if (method === undefined) return part;
    // Without the answer, the height is not known.
    if ((part === 'block' || part === 'nextEpoch') && seen[part] === undefined)
      return `${method.method} of an earlier block`;
    return `${toWords(method)}${isMeshByIpc && (part === 'nodeId' || part === 'peerIds') ? ' over the socket' : ''}`;
  };
  return CHAIN_PARTS.flatMap((part): readonly AskedAndAnswered[] => {
    const reason = seen.missing[part];
    const value = seen[part];
    if (reason === 'not-served' || (value === undefined && reason === undefined)) return [];
    const asked = nameCall(part);
    if (value === undefined) return [{ asked, answered: reason ?? '', isFault: reason !== 'not-yet' }];
    return [{ asked, answered: cut((PARTS[part] as (value: unknown) => string)(value)), isFault: false }];
  });
}

function describeContainer(seen: ContainerObservation): Pick<AskedAndAnswered, 'answered' | 'isFault'> {
  if (seen.kind === 'docker-unreachable') return { answered: nameDockerFault(seen.why), isFault: true };
  if (seen.kind === 'missing') return { answered: 'there is no such container', isFault: true };
  const { status, exitCode, oomKilled, restartCount } = seen.container;
  const parts = [
    status,
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(oomKilled ? ['killed for lack of memory'] : []),
    `${formatCount(restartCount, 'restart', 'restarts')} by its policy`,
  ];
  return { answered: parts.join(', '), isFault: false };
}

const describePage = (seen: PageObservation): Pick<AskedAndAnswered, 'answered' | 'isFault'> =>
  seen.kind === 'visited'
    ? {
        answered: [
          formatCount(seen.consoleErrors, 'console error', 'console errors'),
          formatCount(seen.exceptions, 'exception', 'exceptions'),
          formatCount(seen.failedRequests, 'failed request', 'failed requests'),
        ].join(', '),
        isFault: false,
      }
    : { answered: nameNoPage(seen), isFault: true };

function findServiceExchanges(state: TargetState, { component, url }: ServiceTarget): readonly Exchange[] {
  const { service, page } = state.facts;
  const [answer, visit] = [findRun(state, 'services'), findRun(state, 'console')];
  const to = toOrigin(url);
  const found: Exchange[] = [];
  if (service && answer) {
    const { observation } = service;
    const status = observation.ok ? 200 : statusOfFault(observation.fault);
    const call = toCall(SERVICE_PATHS[component], observation, ({ note }) => note ?? 'healthy');
    found.push({ kind: 'service', to: `GET ${to}`, ...answer, ...(status !== undefined && { status }), calls: [call] });
  }
  if (page && visit)
    found.push({ kind: 'page', to, ...visit, calls: [{ asked: 'open the page', ...describePage(page.observation) }] });
  return found;
}

/**
 * What a target was asked last, and what it answered, the newest of each probe. It is made of the facts when somebody wants
 * it, so it costs nothing before that. `consensus` is that of the subnet.
 */
export function findExchanges(state: TargetState, consensus: string): readonly Exchange[] {
  const { target, facts } = state;
  const run = findRun(state, 'containers');
  const { container } = target;
  const seen = facts.container?.observation;
  return [
    ...(target.component === 'node' ? findNodeExchanges(state, target, consensus) : []),
    ...('url' in target ? findServiceExchanges(state, target) : []),
    ...(container && seen && run
      ? [
          {
            kind: 'container' as const,
            to: 'Docker',
            ...run,
            calls: [{ asked: cut(`inspect ${nameContainer(container)}`), ...describeContainer(seen) }],
          },
        ]
      : []),
  ];
}
