import type { Delivery } from './channels/delivery.ts';
import { createPoster } from './channels/post.ts';
import { readUrl } from './channels/secrets.ts';
import { UnusableFile } from './describe-failure.ts';

/** Creates what sends the GET request of a heartbeat, the first of which has the index 0. */
export function createHeartbeatSender() {
  const poster = createPoster();
  return {
    /** Never rejects. */
    send: async (urlFile: string, index: number, signal: AbortSignal): Promise<Delivery> => {
      const words = { channel: `heartbeat ${index + 1}`, setting: `heartbeat[${index}].urlFile` };
      try {
        const url = readUrl(words.setting, urlFile);
        return await poster.post({ method: 'GET', url, headers: {} }, words, signal);
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        return { ok: false, why: `${words.channel} cannot be used: ${error.message}` };
      }
    },
    close: poster.close,
  };
}
