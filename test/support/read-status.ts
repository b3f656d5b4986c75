import type { Status } from '../../src/web/to-status.ts';

/** The status of a daemon. It is asked for often, and to pack and unpack it costs more than to send it as it is. */
export async function readStatus(url: string): Promise<Status> {
  const answer = await fetch(`${url}/status.json`, { headers: { 'accept-encoding': 'identity' } });
  return (await answer.json()) as Status;
}
