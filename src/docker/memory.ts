import type { DockerClient } from './client.ts';
import { toCount, toMembers } from './members.ts';

/** Reads how much memory containers use. */
export interface ContainerMemory {
  /**
   * Bytes in use by a run of a container, as they were when it was last asked for; the engine takes up to a second for
   * each reading, so the next one begins now and is not waited for. Only of a container that has never been asked for
   * the first reading is waited for (`waited`), as long as the signal lasts. Never rejects.
   */
  read(id: string, startedAt: number | undefined, signal: AbortSignal): Promise<Reading>;
}

interface Reading {
  readonly bytes: number | undefined;
  readonly waited: boolean;
}

interface Known {
  startedAt: number | undefined;
  bytes: number | undefined;
  isBusy: boolean;
}

const timeoutMs = 5_000;
/** Far above what one engine runs; the least lately read goes first. */
const maxContainers = 4_096;

/** Memory in use without the page cache, as the docker CLI shows it: by cgroup v1's name first, then by v2's. */
function toMemoryBytes(body: unknown): number | undefined {
  const memory = toMembers(toMembers(body)?.memory_stats);
  const usage = toCount(memory?.usage);
  if (usage === undefined) return undefined;
  const { total_inactive_file, inactive_file } = toMembers(memory?.stats) ?? {};
  const cache = [total_inactive_file, inactive_file].map(toCount).find((size) => size !== undefined && size < usage);
  return usage - (cache ?? 0);
}

/** Reads memory by `GET /containers/ID/stats`; where that fails, as behind some socket proxies, there is no figure. */
export function createContainerMemory(client: DockerClient): ContainerMemory {
  const containers = new Map<string, Known>();

  const refresh = async (id: string, known: Known, signal: AbortSignal): Promise<void> => {
    const { startedAt } = known;
    known.isBusy = true;
    let bytes: number | undefined;
    try {
      const docker = await client.get();
      const options = { stream: false as const, 'one-shot': true, abortSignal: signal };
      bytes = toMemoryBytes(await docker.getContainer(id).stats(options));
    } catch {
      // It stays out, and is asked for again with the next inspection.
    }
    known.isBusy = false;
    if (known.startedAt === startedAt) known.bytes = bytes;
  };

  return {
    read: async (id, startedAt, signal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const known = containers.get(id) ?? { startedAt, bytes: undefined, isBusy: false };
      const isNew = !containers.delete(id);
      containers.set(id, known);
      for (const oldest of containers.keys()) {
        if (containers.size <= maxContainers) break;
        containers.delete(oldest);
      }
      if (known.startedAt !== startedAt) Object.assign(known, { startedAt, bytes: undefined });
      const { bytes } = known;
      if (isNew) await refresh(id, known, AbortSignal.any([signal, timeout]));
      else if (!known.isBusy) void refresh(id, known, timeout);
      return { bytes: isNew ? known.bytes : bytes, waited: isNew };
    },
  };
}
