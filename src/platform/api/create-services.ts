import { addressKey } from '../../lib/addresses.ts';
import type { Buckets } from '../../lib/buckets.ts';
import { describeCause, isDatabaseFailure, isOverloaded } from '../../lib/database-failure.ts';
import { deriveKey } from '../../lib/derive-key.ts';
import { loadOnce } from '../../lib/promises.ts';
import type { ParentChains } from '../../model/parent-chain.ts';
import type { ReceivedRequest } from '../../model/received-request.ts';
import type { MailQueue } from '../model/mail.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import type { Resource } from '../model/resource.ts';
import type { SecurityEvent } from '../model/security-event.ts';
import { createSealer } from './accounts/sealer.ts';
import { createSignInLock } from './accounts/sign-in-lock.ts';
import type { CallDeps } from './call.ts';
import { createTokens } from './create-tokens.ts';
import { createKeyJournal, type KeyJournal } from './key-journal.ts';
import { createLimits, type LimitSettings } from './limits.ts';
import { type Failure, failureIn, type Outcome } from './outcome.ts';
import { type ContextDeps, createRequestContext, type RequestContext } from './request-context.ts';
import { createSecurityLog } from './security-log.ts';

/** The dependencies of the services. */
export interface ServicesDeps extends ContextDeps {
  readonly resources: readonly Resource[];
  /** Rejects with a `DatabaseFailure` while the database is down. */
  readonly store: () => Promise<PlatformStore>;
  /** The limits that replicas share; undefined if they share none. */
  readonly sharedLimits: () => Promise<Buckets | undefined>;
  readonly limits: LimitSettings;
  /** The secret of the tokens; by default made of the newest secret key, or generated and stored in the database. */
  readonly jwtSecret?: string;
  /** Secrets that are not in the database, the newest first. They also keep the secrets of one-time codes unreadable in it. */
  readonly secretKeys?: readonly string[];
  /** Whether every admin user needs one-time codes; by default not. */
  readonly requiresOtp?: boolean;
  /** Where mails are handed over; absent without a mail server. */
  readonly mails?: MailQueue | undefined;
  /** The parent chains of the inventory; by default there are none. */
  readonly parentChains?: ParentChains | undefined;
  /** Receives each event of the security log; one may represent several. */
  readonly onSecurity: (event: SecurityEvent) => void;
}

/** What the API and the portal share: one database, one set of limits, one security log. */
export interface Services extends CallDeps {
  readonly store: () => Promise<PlatformStore>;
  /** The context of a request, with the address of its client and its events. */
  contextOf(request: ReceivedRequest): RequestContext;
  /** Counts a request of the context's address; a success adds the headers of the limit to the context. */
  limitAddress(context: RequestContext): Promise<Outcome<unknown>>;
  /** What keys did. */
  readonly keyJournal: KeyJournal;
  /** What a client sees of an error, which is logged. */
  failureOf(context: RequestContext, error: unknown): Failure;
  /** Writes the waiting events of the security log, and what keys did. */
  stop(): Promise<void>;
}

/** Seconds until a request may come again that found too many others before it. */
const RETRY_AFTER = '5';

function toFailure(error: unknown): Failure {
  if (!isDatabaseFailure(error)) return { code: 1105, message: 'subnetd failed to handle this request; see its log' };
  if (!isOverloaded(describeCause(error))) return { code: 1106, message: 'the database failed; try again later' };
  const message =
    'too many requests are waiting for the database, so this one was not carried out; retry after the time in Retry-After';
  return { code: 1102, message, headers: { 'retry-after': RETRY_AFTER } };
}

const NO_CHAINS: ParentChains = {
  list: () => [],
  readBalance: async () => ({ ok: false, why: 'is unknown' }),
};

/** Creates the services. */
export function createServices(deps: ServicesDeps): Services {
  const { now, store } = deps;
  const limits = createLimits(deps.limits, () => performance.now(), deps.sharedLimits);
  const security = createSecurityLog({
    write: async (events) => (await store()).addSecurityEvents(events),
    log: deps.onSecurity,
  });

  const keyJournal = createKeyJournal({ write: async (uses) => (await store()).addKeyUses(uses), now });

  const [newest, ...older] = deps.secretKeys ?? [];
  const storedSecret = loadOnce(async () => {
    const make = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    return deps.jwtSecret ?? (await store()).getOrCreate('jwt_secret', make);
  });
  const tokens = loadOnce(async () => {
    const derived = newest && deriveKey(newest, 'tokens').toString('base64url');
    return createTokens(deps.jwtSecret ?? derived ?? (await storedSecret.get()), now);
  });
  const sealer = loadOnce(async () => {
    const stored = await storedSecret.get();
    if (newest === undefined) return createSealer(stored);
    const made = createSealer(newest, ...older, stored);
    await (await store()).resealCodes(made.reseal);
    return made;
  });

  return {
    now,
    store,
    limits,
    requiresOtp: deps.requiresOtp ?? false,
    mails: deps.mails,
    resources: deps.resources,
    parentChains: deps.parentChains ?? NO_CHAINS,
    tokens: tokens.get,
    sealer: sealer.get,
    lock: createSignInLock(deps.limits.signIns > 0, sealer.get, now),
    contextOf: (request) => createRequestContext(request, deps, security),
    limitAddress: async (context) => {
      const taken = await limits.address(addressKey(context.address));
      if (taken.ok) context.headers = taken.value;
      else context.record('slowed', { detail: { name: 'Limit', value: 'address' } });
      return taken;
    },
    failureOf: (context, error) => {
      const refused = failureIn(error);
      if (refused !== undefined) {
        context.record('slowed', { detail: { name: 'Limit', value: 'passwords' } });
        return refused;
      }
      context.reportError(error);
      return toFailure(error);
    },
    keyJournal,
    stop: async () => {
      await security.stop();
      await keyJournal.flush().catch(() => {});
    },
  };
}
