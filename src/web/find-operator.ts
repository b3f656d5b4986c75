import type { Context } from 'hono';
import { csrf } from 'hono/csrf';
import { type ApiRoutes, type RoutesEnv, toOperateRefusal, toReceived } from './api-routes.ts';
import { type CheckRequest, requireUser } from './check-user.ts';

/** What is needed to find out who may operate the daemon. */
export interface OperatorDeps {
  readonly api: Pick<ApiRoutes, 'authorize'>;
  /** Checks a user of the web config; undefined without users. */
  readonly checkUser: CheckRequest | undefined;
}

/** What a request that operates the daemon is about, for people. */
export interface OperateTexts {
  /** What it takes. */
  readonly needed: string;
  /** The page from which a browser sends it, and how. */
  readonly from: string;
}

/** Who operates the daemon, or the answer that refuses it. */
export type Operator = { readonly ok: true; readonly who: string } | { readonly ok: false; readonly refusal: Response };

const nameOf = (authorization: string): string =>
  Buffer.from(authorization.replace(/^basic\s+/i, ''), 'base64')
    .toString('utf8')
    .split(':')[0] ?? '';

/**
 * Who sends a request that operates the daemon. A browser names its user of the web config on each request, whoever made the
 * page; so a user may send it from our own pages alone. A program with a key or token of scope operate may send it from
 * anywhere. `request` is the one that its credential is read from.
 */
export async function findOperator(
  c: Context<RoutesEnv>,
  { api, checkUser }: OperatorDeps,
  { needed, from }: OperateTexts,
  request: Request = c.req.raw,
): Promise<Operator> {
  const authorization = c.req.header('authorization') ?? '';
  if (checkUser === undefined || !/^basic\b/i.test(authorization)) {
    const authorized = await api.authorize({ ...toReceived(c), request }, 'operate');
    if (authorized.ok) {
      const { owner, credential } = authorized.value;
      return { ok: true, who: `admin user ${owner} by ${credential}` };
    }
    const refusal = toOperateRefusal(authorized.failure, needed);
    if (refusal.status === 401 && checkUser) refusal.headers.set('www-authenticate', 'Basic realm="subnetd"');
    return { ok: false, refusal };
  }
  // Throws its refusal.
  await requireUser(checkUser, `${needed}\n`)(c, async () => {});
  try {
    await csrf()(c, async () => {});
  } catch {
    return { ok: false, refusal: c.text(`a browser sends this only from ${from}\n`, 403) };
  }
  return { ok: true, who: nameOf(authorization) };
}
