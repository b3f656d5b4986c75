import type { ProbeKind } from '../../model/prober.ts';
import {
  type CheckSettings,
  COMPONENTS,
  type Component,
  hasLog,
  isAttachOnly,
  type NodeTarget,
  type ServiceTarget,
  type Target,
} from '../../model/target.ts';
import { type CheckName, type Finding, type Judgement, unknown } from '../../model/verdict.ts';
import { CLIENTS } from '../clients/clients.ts';
import { judgeContainer } from './judge-container.ts';
import { judgeLogBlock } from './judge-log-block.ts';
import { judgeMessages } from './judge-messages.ts';
import { judgeLatestBlock, judgePeers } from './judge-node.ts';
import { judgeBlockData, judgeFrontendLog, judgeHistoryData, judgeHttp, judgePage } from './judge-services.ts';
import { judgeSubmissions } from './judge-submissions.ts';
import type { View } from './view.ts';

/** One check: the targets it is for, the kind of probe that feeds it for a target, and how it judges. */
export interface Check {
  readonly isFor: (target: Target) => boolean;
  readonly kindOf: (target: Target) => ProbeKind;
  /** Why the inventory gives nothing to probe; undefined when it does. */
  readonly skippedBecause: (target: Target, settings: CheckSettings) => Finding | undefined;
  readonly judge: (view: View) => Judgement;
}

type TargetOf<Name extends Component> = Extract<Target, { readonly component: Name }>;

/** The definition of a check; its functions receive only targets of its components. */
interface Definition<Name extends Component> {
  readonly of: readonly Name[];
  readonly kind: ProbeKind;
  /** The kind for targets that have nothing for `kind`. */
  readonly otherKind?: (target: TargetOf<Name>) => ProbeKind | undefined;
  /** For all targets of these components without it. */
  readonly isFor?: (target: TargetOf<Name>) => boolean;
  readonly skippedBecause: (target: TargetOf<Name>, settings: CheckSettings) => Finding | undefined;
  readonly judge: (view: View<TargetOf<Name>>) => Judgement;
}

function defineCheck<Name extends Component>(definition: Definition<Name>): Check {
  const { of, kind, otherKind = () => undefined, isFor = () => true, skippedBecause, judge } = definition;
  const isOf = (target: Target): target is TargetOf<Name> => of.some((component) => component === target.component);
  const isViewOf = (view: View): view is View<TargetOf<Name>> => isOf(view.target);
  return {
    kindOf: (target) => (isOf(target) ? (otherKind(target) ?? kind) : kind),
    isFor: (target) => isOf(target) && isFor(target),
    skippedBecause: (target, settings) => (isOf(target) ? skippedBecause(target, settings) : undefined),
    judge: (view) => (isViewOf(view) ? judge(view) : unknown(`this is not a check of a ${view.target.component}`)),
  };
}

function noRpc(target: NodeTarget, settings: CheckSettings): Finding | undefined {
  if (isAttachOnly(target)) return undefined;
  if (!settings.rpc.enabled) return { seen: 'checks.rpc.enabled is false in the inventory' };
  const { name, rpc, ipc } = target;
  if (rpc !== undefined || ipc !== undefined) return undefined;
  return {
    seen: `${name} has neither rpc nor ipc in the inventory`,
    fix: `add an address${CLIENTS[target.client ?? 'xdc-subnet'].hasConsole ? ', or let subnetd run `XDC attach` by consoleExec: true' : ''}`,
  };
}

const noUrl = ({ name, url }: ServiceTarget): Finding | undefined =>
  url === undefined ? { seen: `the ${name} has no url in the inventory`, fix: 'add its address' } : undefined;

const noBrowser = (target: ServiceTarget): Finding | undefined =>
  target.browser === undefined
    ? {
        seen: 'the frontend has no browser in the inventory',
        fix: 'add browser: { executablePath: /usr/bin/chromium } or { cdpUrl: … }',
      }
    : noUrl(target);

/** A relayer whose queue board is all that can be read of it. */
const hasQueuesOnly = (target: ServiceTarget): boolean => !hasLog(target) && target.url !== undefined;

const noLog = (target: Target): Finding | undefined =>
  !hasLog(target)
    ? {
        seen: `${target.component === 'node' ? target.name : `the ${target.name}`} has neither container nor logFiles in the inventory`,
        fix: 'add one to have its log read',
      }
    : undefined;

/** The debug lines are only in the files of the stats server. */
const noDebugLog = ({ logFiles }: Target): Finding | undefined =>
  logFiles.length === 0
    ? {
        seen: 'stats has no logFiles in the inventory',
        fix: 'add those of its folder logs/debug, as its container does not print them',
      }
    : undefined;

/** Every check. A target has those of its component, in this order. */
export const checkTable: Readonly<Record<CheckName, Check>> = {
  latest_block: defineCheck({ of: ['node'], kind: 'node', skippedBecause: noRpc, judge: judgeLatestBlock }),
  peers: defineCheck({ of: ['node'], kind: 'node', skippedBecause: noRpc, judge: judgePeers }),
  log_block: defineCheck({ of: ['node'], kind: 'logs', skippedBecause: noLog, judge: judgeLogBlock }),
  messages: defineCheck({ of: ['bootnode'], kind: 'logs', skippedBecause: noLog, judge: judgeMessages }),
  submissions: defineCheck({
    of: ['relayer'],
    kind: 'logs',
    otherKind: (target) => (hasQueuesOnly(target) ? 'service' : undefined),
    skippedBecause: (target) => (hasQueuesOnly(target) ? undefined : noLog(target)),
    judge: judgeSubmissions,
  }),
  block_data: defineCheck({ of: ['stats'], kind: 'logs', skippedBecause: noDebugLog, judge: judgeBlockData }),
  history_data: defineCheck({ of: ['stats'], kind: 'logs', skippedBecause: noDebugLog, judge: judgeHistoryData }),
  logs: defineCheck({ of: ['frontend'], kind: 'logs', skippedBecause: noLog, judge: judgeFrontendLog }),
  http: defineCheck({ of: ['relayer', 'stats', 'frontend'], kind: 'service', skippedBecause: noUrl, judge: judgeHttp }),
  console: defineCheck({ of: ['frontend'], kind: 'page', skippedBecause: noBrowser, judge: judgePage }),
  container: defineCheck({
    of: COMPONENTS,
    kind: 'container',
    isFor: ({ container }) => container !== undefined,
    skippedBecause: () => undefined,
    judge: judgeContainer,
  }),
};

const entries = Object.entries(checkTable) as readonly [CheckName, Check][];

/** The checks of a target, by name. */
export const checksFor = (target: Target): readonly (readonly [CheckName, Check])[] =>
  entries.filter(([, check]) => check.isFor(target));
