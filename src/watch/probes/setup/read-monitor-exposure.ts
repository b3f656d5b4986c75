import { formatEndpoint, MONITOR_QUESTION, type MonitorExposure } from '../../../model/exposure.ts';
import type { SetupResult } from '../../../model/setup.ts';
import { type AnonymousAnswer, askAnonymously } from './ask-anonymously.ts';
import { listReachedAddresses, OWN_WITHIN_MS } from './own-addresses.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

const isOpen = ({ status, body }: AnonymousAnswer): boolean => status === 400 && body.startsWith(MONITOR_QUESTION.open);
const isGuarded = ({ status, body }: AnonymousAnswer): boolean =>
  status === 401 && body.startsWith(MONITOR_QUESTION.guarded);

/**
 * Asks the subnetd that listens at a port of this machine, at all `addresses` of it, whether it wants a password. A port of
 * another program, and one that wants a client certificate, are why it is not known. Never rejects.
 */
export async function readMonitorExposure(
  port: number,
  signal: AbortSignal,
  addresses = listReachedAddresses,
): Promise<SetupResult<MonitorExposure>> {
  const ask = async (ip: string): Promise<AnonymousAnswer | undefined> => {
    for (const protocol of ['http', 'https']) {
      const url = new URL(MONITOR_QUESTION.path, `${protocol}://${formatEndpoint({ ip, port })}`);
      const request = { method: 'GET', url, takesAnyCertificate: true, withinMs: OWN_WITHIN_MS } as const;
      const answer = await askAnonymously(request, signal);
      if (answer !== undefined && (isOpen(answer) || isGuarded(answer))) return answer;
    }
    return undefined;
  };
  const answers = await Promise.all([...new Set([...LOOPBACK, ...addresses()])].map(ask));
  const own = answers.filter((answer) => answer !== undefined);
  if (own.length === 0)
    return { ok: false, why: `no subnetd answers without credentials at port ${port} of this machine` };
  return { ok: true, value: { servedAt: own.filter(isOpen).map(({ endpoint }) => endpoint) } };
}
