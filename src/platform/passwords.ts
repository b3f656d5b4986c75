import { randomBytes } from 'node:crypto';
import { loadOnce } from '../model/load-once.ts';

// OWASP's parameters: 19 MiB, 2 passes, 1 lane. The work runs on libuv's threads, not on the event loop.
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const load = () => import('@node-rs/argon2');

let last: Promise<unknown> = Promise.resolve();

/** One password at a time: the same few threads resolve names and read files for probes. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** An argon2id hash in its usual text form. */
export const hashPassword = async (password: string): Promise<string> => {
  const { hash } = await load();
  return inTurn(() => hash(password, OPTIONS));
};

const decoy = loadOnce(() => hashPassword(randomBytes(16).toString('hex')));

/** Does the password match the hash? Without a hash the answer is no, after the same time. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const other = await decoy.get();
  const { verify } = await load();
  const isGood = await inTurn(() => verify(hash ?? other, password));
  return hash !== undefined && isGood;
}

/** A generated password of 128 bits. */
export const makePassword = (): string => randomBytes(16).toString('base64url');
