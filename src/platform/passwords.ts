import { randomBytes } from 'node:crypto';

// OWASP's parameters: 19 MiB, 2 passes, 1 lane. The work runs on libuv's threads, not on the event loop.
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const load = () => import('@node-rs/argon2');

let last: Promise<unknown> = Promise.resolve();

/** One password at a time: the few threads that do the work also look up names and read files for probes. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** An argon2id hash in its usual text form. */
export const hashPassword = async (password: string): Promise<string> => {
  const { hash } = await load();
  return inTurn(() => hash(password.normalize('NFC'), OPTIONS));
};

let decoy: Promise<string> | undefined;

/** Does the password belong to the hash? Without a hash it takes as long, and the answer is no. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const other = await decoy;
  const { verify } = await load();
  const isGood = await inTurn(() => verify(hash ?? other, password.normalize('NFC')));
  return hash !== undefined && isGood;
}

/** A password that nobody has to remember: 128 bits. */
export const makePassword = (): string => randomBytes(16).toString('base64url');
