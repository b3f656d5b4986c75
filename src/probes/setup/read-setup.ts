import type { SetupObservation, SetupPart, TargetSetup } from '../../model/setup.ts';
import { type Subnet, type Target, targetKey } from '../../model/target.ts';
import { readClient } from './read-client.ts';

/** Reads one part of how a target is set up; undefined when the inventory gives no way to it. Never rejects. */
type Reader<Part extends SetupPart> = (target: Target, signal: AbortSignal) => Promise<TargetSetup[Part]>;

/** What reads each part. */
const readers: { readonly [Part in SetupPart]-?: Reader<Part> } = {
  client: async (target, signal) => (target.component === 'node' ? readClient(target, signal) : undefined),
};

/** As many targets are read at the same time. */
const AT_ONCE = 8;

async function readTarget(target: Target, signal: AbortSignal): Promise<TargetSetup> {
  const parts = await Promise.all(
    Object.entries(readers).map(async ([part, read]) => [part, await read(target, signal)] as const),
  );
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

/** Reads how all targets of a subnet are set up, some at a time. */
export async function readSetup({ targets }: Subnet, signal: AbortSignal): Promise<SetupObservation> {
  const waiting = targets[Symbol.iterator]();
  const read = new Map<string, TargetSetup>();
  const work = async () => {
    for (const target of waiting) read.set(targetKey(target), await readTarget(target, signal));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { targets: read };
}
