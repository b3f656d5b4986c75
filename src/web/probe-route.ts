import type { Hono } from 'hono';
import { settleWithin } from '../lib/within.ts';
import type { RoutesEnv } from './api-routes.ts';
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
    return c.redirect(targetPath(subnet, name), 303);
  });
}
