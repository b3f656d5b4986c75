import { randomBytes } from 'node:crypto';
import { loadOnce } from '../../lib/promises.ts';
import { type Failure, refusal } from './outcome.ts';

// OWASP's parameters: 19 MiB, 2 passes, 1 lane. The work runs on libuv's threads, not on the event loop.
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const load = () => import('@node-rs/argon2');

/**
 * Whose password it is. A stranger has shown no credential, and comes from an address from which that user has not signed in.
 * Everybody else is known, and served first.
 */
export type Asker = 'known' | 'stranger';

/** How many may wait: more than one credential sends at once, and few strangers. Each takes 10 to 50 ms. */
const MOST: Readonly<Record<Asker, number>> = { known: 256, stranger: 32 };

const waiting: Readonly<Record<Asker, (() => Promise<void>)[]>> = { known: [], stranger: [] };
let isWorking = false;

const BUSY: Failure = {
  code: 1102,
  message: 'too many passwords are waiting to be checked, so this one was not; retry after the time in Retry-After',
  headers: { 'retry-after': '5' },
};

/** Why no more work can wait for its turn now; undefined while it can. */
export const findQueueFailure = (asker: Asker): Failure | undefined =>
  waiting[asker].length < MOST[asker] ? undefined : BUSY;

async function workOff(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  const takeNext = () => waiting.known.shift() ?? waiting.stranger.shift();
  for (let next = takeNext(); next !== undefined; next = takeNext()) await next();
  isWorking = false;
}

/** One password at a time: the same few threads resolve names and read files for probes. */
function inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
  const failure = findQueueFailure(asker);
  if (failure !== undefined) throw refusal(failure);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  waiting[asker].push(() => Promise.try(work).then(resolve, reject));
  void workOff();
  return promise;
}

/** An argon2id hash in its usual text form. Rejects with a refusal (1102) while too many others wait. */
export const hashPassword = async (password: string): Promise<string> => {
  const { hash } = await load();
  return inTurn('known', () => hash(password, OPTIONS));
};

const decoy = loadOnce(() => hashPassword(randomBytes(16).toString('hex')));

/**
 * Does the password match the hash? Without a hash the answer is no, after the same time. Rejects with a refusal (1102) while
 * too many others wait.
 */
export async function verifyPassword(
  hash: string | undefined,
  password: string,
  asker: Asker = 'known',
): Promise<boolean> {
  const other = await decoy.get();
  const { verify } = await load();
  const isGood = await inTurn(asker, () => verify(hash ?? other, password));
  return hash !== undefined && isGood;
}

/** A generated password of 128 bits. */
export const makePassword = (): string => randomBytes(16).toString('base64url');
