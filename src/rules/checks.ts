import type { BootnodeTarget, CheckSettings, NodeTarget, RoundName, ServiceTarget, Target } from '../model/target.ts';
import { type CheckName, type Judgement, unknown } from '../model/verdict.ts';
import { activeFailures } from './active-failures.ts';
import { judgeConsole } from './judge-console.ts';
import { judgeContainer } from './judge-container.ts';
import { judgeFrontendLog } from './judge-frontend-log.ts';
import { judgeHttp } from './judge-http.ts';
import { judgeLatestBlock } from './judge-latest-block.ts';
import { judgeLogBlock } from './judge-log-block.ts';
import { judgeMessages } from './judge-messages.ts';
import { judgePeers } from './judge-peers.ts';
import { judgeBlockData, judgeHistoryData } from './judge-stats-log.ts';
import { judgeSubmissions } from './judge-submissions.ts';
import type { KnownFailure } from './known-failures.ts';
import type { View } from './view.ts';

/** One check: what it is of, which round feeds it, and how it is judged. */
export interface Check {
  readonly name: CheckName;
  readonly isOf: (target: Target) => boolean;
  readonly round: (target: Target) => RoundName;
  /** Why the inventory gives nothing to look at; undefined when it does. */
  readonly skippedBecause: (target: Target, settings: CheckSettings) => string | undefined;
  readonly judge: (view: View) => Judgement;
}

const isNode = ({ component }: Target): boolean => component === 'node';
const isService = ({ component }: Target): boolean => ['relayer', 'stats', 'frontend'].includes(component);

/** A node that can be asked by its console only: rarely, as each time a program is started for it. */
export const isConsoleOnly = (target: Target): boolean =>
  target.component === 'node' &&
  target.rpc === undefined &&
  target.ipc === undefined &&
  target.consoleExec &&
  target.container !== undefined;

function noRpc(target: Target, settings: CheckSettings): string | undefined {
  if (isConsoleOnly(target)) return undefined;
  if (!settings.rpc.enabled) return 'checks.rpc.enabled is false in the inventory';
  const { name, rpc, ipc } = target as NodeTarget;
  return rpc === undefined && ipc === undefined
    ? `${name} has neither rpc nor ipc in the inventory; add an address, or let subnetd use its console by consoleExec: true`
    : undefined;
}

const ofNode = (target: Target): RoundName => (isConsoleOnly(target) ? 'console' : 'rpc');

const noUrl = (target: Target): string | undefined =>
  (target as ServiceTarget).url === undefined
    ? `the ${target.name} has no url in the inventory; add its address`
    : undefined;

const noBrowser = (target: Target): string | undefined =>
  (target as ServiceTarget).browser === undefined
    ? 'the frontend has no browser in the inventory; add browser: { executablePath: /usr/bin/chromium } or { cdpUrl: … }'
    : noUrl(target);

const noLog = ({ component, name, container, logFiles }: Target): string | undefined =>
  container === undefined && logFiles.length === 0
    ? `${component === 'node' ? name : `the ${name}`} has neither container nor logFiles in the inventory; add one to have its log read`
    : undefined;

/** The debug lines are in the files of the stats server alone. */
const noDebugLog = ({ logFiles }: Target): string | undefined =>
  logFiles.length === 0
    ? 'stats has no logFiles in the inventory; add those of its folder logs/debug, as its container does not print them'
    : undefined;

const ofLog = (
  name: CheckName,
  component: Target['component'],
  skippedBecause: Check['skippedBecause'],
  judge: Check['judge'],
): Check => ({ name, isOf: (target) => target.component === component, round: () => 'logs', skippedBecause, judge });

/** Adds to a failure what is known to mend it. */
const explainKnown = (judgement: Judgement, failures: readonly KnownFailure[]): Judgement =>
  judgement.verdict === 'fail' && failures.length > 0
    ? {
        ...judgement,
        reason: `${judgement.reason}; known as ${failures.map(({ name, fix }) => `${name}: ${fix}`).join(', and ')}`,
      }
    : judgement;

/** Every check there is; a target's checks are those of its component, in this order. */
export const checks: readonly Check[] = [
  {
    name: 'latest_block',
    isOf: isNode,
    round: ofNode,
    skippedBecause: noRpc,
    judge: (view) => judgeLatestBlock(view as View<NodeTarget>),
  },
  {
    name: 'peers',
    isOf: isNode,
    round: ofNode,
    skippedBecause: noRpc,
    judge: (view) => judgePeers(view as View<NodeTarget>),
  },
  ofLog('log_block', 'node', noLog, (view) => judgeLogBlock(view as View<NodeTarget>)),
  ofLog('messages', 'bootnode', noLog, (view) => judgeMessages(view as View<BootnodeTarget>)),
  ofLog('submissions', 'relayer', noLog, (view) => judgeSubmissions(view as View<ServiceTarget>)),
  ofLog('block_data', 'stats', noDebugLog, (view) => judgeBlockData(view as View<ServiceTarget>)),
  ofLog('history_data', 'stats', noDebugLog, (view) => judgeHistoryData(view as View<ServiceTarget>)),
  ofLog('logs', 'frontend', noLog, (view) => judgeFrontendLog(view as View<ServiceTarget>)),
  {
    name: 'http',
    isOf: isService,
    round: () => 'services',
    skippedBecause: noUrl,
    judge: (view) => judgeHttp(view as View<ServiceTarget>),
  },
  {
    name: 'console',
    isOf: ({ component }) => component === 'frontend',
    round: () => 'console',
    skippedBecause: noBrowser,
    judge: (view) => judgeConsole(view as View<ServiceTarget>),
  },
  {
    name: 'container',
    isOf: ({ container }) => container !== undefined,
    round: () => 'containers',
    skippedBecause: () => undefined,
    judge: ({ target, facts, settings, now, toWall }) =>
      target.container === undefined
        ? unknown('no container')
        : explainKnown(
            judgeContainer(facts.container, target.container, settings.logs.errorWindowMs, now, toWall),
            activeFailures(target, facts, now),
          ),
  },
];
