import type { Context } from 'hono';
import { MONITOR_QUESTION } from '../model/exposure.ts';
import type { RestartResult } from '../model/restart-answer.ts';

/** The body of `/safe-to-restart`; numbers are null while they are not known. */
export interface RestartBody {
  readonly safe: boolean;
  /** Why, as the end of "because …". */
  readonly reason: string;
  readonly required: number | null;
  readonly voting: number | null;
  readonly headroom: number | null;
  /** False when it cannot be decided, so that it is not safe. */
  readonly known: boolean;
  readonly subnet: string;
  readonly node: string;
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
    const { safe, reason, required = null, voting = null, headroom = null, known } = result;
    const body: RestartBody = { safe, reason, required, voting, headroom, known, subnet: result.subnet, node };
    return c.json(body, safe ? 200 : 409);
  };
