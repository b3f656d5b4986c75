import type { Context, Hono } from 'hono';
import { settleWithin } from '../lib/promises.ts';
import { MONITOR_QUESTION } from '../model/exposure.ts';
import { type RestartResult, toRestartBody } from '../model/restart-answer.ts';
import type { Masternode, Snapshot, SubnetState, Vote } from '../model/snapshot.ts';
import type { StopResult } from '../model/stop-forecast.ts';
import { parseRange } from '../model/time-range.ts';
import type { Upgrade } from '../model/upgrade.ts';
import type { RoutesEnv } from './api-routes.ts';
import { sendJson } from './cached-text.ts';
import { findOperator, type OperatorDeps } from './find-operator.ts';
import { targetPath } from './pages/paths.ts';

/** What the route needs. */
export interface ProbeRouteDeps extends OperatorDeps {
  /** Probes a target at once; undefined when the inventory has no such target. */
  readonly probe: (subnet: string, name: string) => Promise<void> | undefined;
}

/** A probe that takes longer, such as a visit of a page, goes on, and the page is shown without its result. */
const WITHIN_MS = 6_000;

const TEXTS = {
  needed: 'a probe needs an API key or a token with the scope operate, or a user of the web config',
  from: 'the page of the target; open that, and press the button there',
};

/** "Probe now" on the page of a target. */
export function addProbeRoute(app: Hono<RoutesEnv>, { probe, ...deps }: ProbeRouteDeps): void {
  app.post('/targets/:subnet/:name/probe', async (c) => {
    const operator = await findOperator(c, deps, TEXTS);
    if (!operator.ok) return operator.refusal;
    const { subnet, name } = c.req.param();
    const probed = probe(subnet, name);
    if (probed === undefined) return c.text('the inventory has no such target; / lists them\n', 404);
    await settleWithin(WITHIN_MS, probed);
    return c.redirect(targetPath(subnet, name, parseRange(c.req.query('range'))), 303);
  });
}

/** `/safe-to-restart?subnet=&node=`: 200 when the node may be restarted now, 409 when it may not or nobody knows. */
export const answerRestart =
  (mayRestart: (subnet: string | undefined, node: string) => Promise<RestartResult>) =>
  async (c: Context): Promise<Response> => {
    const { subnet, node } = c.req.query();
    c.header('cache-control', 'no-store');
    if (!node) return c.text(`${MONITOR_QUESTION.open}: /safe-to-restart?subnet=NAME&node=NAME\n`, 400);
    const result = await mayRestart(subnet || undefined, node);
    if (result.kind === 'ambiguous') return c.text(`${result.error}\n`, 400);
    if (result.kind === 'unknown') return c.text(`${result.error}\n`, 404);
    return c.json(toRestartBody(result), result.safe ? 200 : 409);
  };

/** `/what-if?stop=…&subnet=`: what would happen if these targets, with commas between them, were stopped now. */
export const answerStop =
  (whatIf: (subnet: string | undefined, words: readonly string[]) => StopResult) =>
  (c: Context): Response => {
    const { subnet, stop = '' } = c.req.query();
    const words = stop.split(',').filter(Boolean);
    c.header('cache-control', 'no-store');
    if (words.length === 0) return c.text('say what to stop: /what-if?stop=NAME,NAME\n', 400);
    const result = whatIf(subnet || undefined, words);
    return result.ok
      ? c.json({ subnets: result.forecasts })
      : c.text(`${result.error}\n`, result.kind === 'ambiguous' ? 400 : 404);
  };

/** One masternode in `/masternodes.json`. What is not known is left out. */
interface MasternodeStatus extends Omit<Masternode, 'vote'> {
  readonly status: Vote;
  readonly penalised: boolean;
  readonly standby: boolean;
}

/** `/masternodes.json`: what is not known of an epoch is left out, and so is an epoch whose masternodes are not known. */
export interface MasternodesStatus {
  readonly subnets: readonly {
    readonly name: string;
    readonly epoch?: number;
    readonly firstBlock?: number;
    readonly choiceBlock?: number;
    readonly nextFirstBlock?: number;
    readonly isNextAtLatest?: true;
    readonly isNextKnown?: boolean;
    readonly block?: number;
    readonly round?: number;
    readonly upgrade?: Upgrade;
    readonly masternodes: readonly MasternodeStatus[];
  }[];
}

const toMasternode = ({ address, name, vote, ...counts }: Masternode): MasternodeStatus => ({
  address,
  name,
  status: vote,
  penalised: vote === 'penalised',
  standby: vote === 'standby',
  ...counts,
});

function toSubnet({ subnet: { name }, epoch }: SubnetState): MasternodesStatus['subnets'][number] {
  if (epoch === undefined) return { name, masternodes: [] };
  const { number, masternodes, ...place } = epoch;
  return { name, epoch: number, ...place, masternodes: masternodes.map(toMasternode) };
}

/** The masternodes of a snapshot in the shape of `/masternodes.json`. */
export const toMasternodesStatus = (snapshot: Snapshot): MasternodesStatus => ({ subnets: snapshot.map(toSubnet) });

/** `/masternodes.json`, of one subnet where the request names it. */
export const answerMasternodes =
  (read: () => MasternodesStatus) =>
  async (c: Context): Promise<Response> => {
    const only = c.req.query('subnet');
    const { subnets } = read();
    const shown = only === undefined ? subnets : subnets.filter(({ name }) => name === only);
    if (only !== undefined && shown.length === 0) return c.text('the inventory has no such subnet\n', 404);
    return sendJson(c, { subnets: shown });
  };
