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
import type { CheckName, Finding, Judgement } from '../../model/verdict.ts';
import { CLIENTS } from '../clients/clients.ts';
import { judgeContainer } from './judge-container.ts';
import { judgeLogBlock } from './judge-log-block.ts';
import { judgeMessages } from './judge-messages.ts';
import { judgeLatestBlock, judgePeers } from './judge-node.ts';
import { judgeBlockData, judgeFrontendLog, judgeHistoryData, judgeHttp, judgePage } from './judge-services.ts';
import { judgeSubmissions } from './judge-submissions.ts';
import type { View } from './view.ts';

/** One check: the targets it is for, the kind of probe that feeds it for a target, and how it judges. Only these are given to the others. */
export interface Check {
  isFor(target: Target): boolean;
  kindOf(target: Target): ProbeKind;
  /** Why the inventory gives nothing to probe; undefined when it does. */
  skippedBecause(target: Target, settings: CheckSettings): Finding | undefined;
  judge(view: View): Judgement;
}

type TargetOf<Name extends Component> = Extract<Target, { readonly component: Name }>;

/** A check of targets of these components. */
const defineCheck = <Name extends Component>(
  of: readonly Name[],
  kind: ProbeKind | ((target: TargetOf<Name>) => ProbeKind),
  skippedBecause: (target: TargetOf<Name>, settings: CheckSettings) => Finding | undefined,
  judge: (view: View<TargetOf<Name>>) => Judgement,
): Check => ({
  isFor: ({ component }) => of.some((one) => one === component),
  kindOf: typeof kind === 'string' ? () => kind : kind,
  skippedBecause,
  judge,
});

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

function noBrowser(target: ServiceTarget): Finding | undefined {
  if (target.browser !== undefined) return noUrl(target);
  const fix = 'add browser: { executablePath: /usr/bin/chromium } or { cdpUrl: … }';
  return { seen: 'the frontend has no browser in the inventory', fix };
}

/** A relayer whose queue board is all that can be read of it. */
const hasQueuesOnly = (target: ServiceTarget): boolean => !hasLog(target) && target.url !== undefined;

function noLog(target: Target): Finding | undefined {
  if (hasLog(target)) return undefined;
  const who = target.component === 'node' ? target.name : `the ${target.name}`;
  return { seen: `${who} has neither container nor logFiles in the inventory`, fix: 'add one to have its log read' };
}

/** The debug lines are only in the files of the stats server. */
function noDebugLog({ logFiles }: Target): Finding | undefined {
  if (logFiles.length > 0) return undefined;
  const fix = 'add those of its folder logs/debug, as its container does not print them';
  return { seen: 'stats has no logFiles in the inventory', fix };
}

/** Every check. A target has those of its component, in this order. */
export const checkTable: Readonly<Record<CheckName, Check>> = {
  latest_block: defineCheck(['node'], 'node', noRpc, judgeLatestBlock),
  peers: defineCheck(['node'], 'node', noRpc, judgePeers),
  log_block: defineCheck(['node'], 'logs', noLog, judgeLogBlock),
  messages: defineCheck(['bootnode'], 'logs', noLog, judgeMessages),
  submissions: defineCheck(
    ['relayer'],
    (target) => (hasQueuesOnly(target) ? 'service' : 'logs'),
    (target) => (hasQueuesOnly(target) ? undefined : noLog(target)),
    judgeSubmissions,
  ),
  block_data: defineCheck(['stats'], 'logs', noDebugLog, judgeBlockData),
  history_data: defineCheck(['stats'], 'logs', noDebugLog, judgeHistoryData),
  logs: defineCheck(['frontend'], 'logs', noLog, judgeFrontendLog),
  http: defineCheck(['relayer', 'stats', 'frontend'], 'service', noUrl, judgeHttp),
  console: defineCheck(['frontend'], 'page', noBrowser, judgePage),
  container: {
    ...defineCheck(COMPONENTS, 'container', () => undefined, judgeContainer),
    isFor: ({ container }) => container !== undefined,
  },
};

const entries = Object.entries(checkTable) as readonly [CheckName, Check][];

export const checksFor = (target: Target): readonly (readonly [CheckName, Check])[] =>
  entries.filter(([, check]) => check.isFor(target));
