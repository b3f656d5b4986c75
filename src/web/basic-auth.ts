import type { BlockList } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { HTTPException } from 'hono/http-exception';
import { addressKey, clientAddress } from '../lib/client-address.ts';
import type { ReceivedRequest, RoutesEnv } from './api-routes.ts';
import type { CheckedUser, CheckUser } from './check-user.ts';

/** Checks the user of the web config that a request names. */
export type CheckRequest = (name: string, password: string, received: ReceivedRequest) => Promise<CheckedUser>;

/** Checks users for the address of their client, and tells `onRefused` of each one that is refused; undefined without users. */
export const createCheckRequest = (
  checkUser: CheckUser | undefined,
  trustedProxies: BlockList,
  onRefused: (received: ReceivedRequest) => void,
): CheckRequest | undefined =>
  checkUser &&
  (async (name, password, received) => {
    const { request, remoteAddress } = received;
    const forwarded = request.headers.get('x-forwarded-for') ?? undefined;
    const address = clientAddress(remoteAddress, forwarded, trustedProxies);
    const checked = await checkUser(name, password, addressKey(address));
    if (!checked.ok) onRefused(received);
    return checked;
  });

/** Lets users of the web config through. Without a right password it throws 401, and 503 if that is not known yet. */
export const requireUser = (checkRequest: CheckRequest, invalidUserMessage: string): MiddlewareHandler<RoutesEnv> =>
  basicAuth({
    realm: 'subnetd',
    invalidUserMessage,
    verifyUser: async (name, password, c) => {
      const remoteAddress = c.env?.incoming?.socket.remoteAddress;
      const checked = await checkRequest(name, password, { request: c.req.raw, remoteAddress });
      if (checked.ok || checked.retryAfterS === undefined) return checked.ok;
      // Not 401: a browser would ask for another password, and this one may be right.
      const res = new Response('too many passwords were tried; wait as Retry-After says\n', {
        status: 503,
        headers: { 'retry-after': String(checked.retryAfterS), 'cache-control': 'no-store' },
      });
      throw new HTTPException(503, { res });
    },
  });
