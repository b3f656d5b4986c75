import { expect, test } from 'vitest';
import { askDaemon } from '../../src/commands/ask-daemon.ts';
import { startHttp } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups } = useCleanups();

test('an answer without an end, as of another program, is cut off and named', async () => {
  const server = await startHttp((_, response) => {
    const more = (): void =>
      void response.write(Buffer.alloc(1024 * 1024, 0x20), (error) => {
        if (!error) setImmediate(more);
      });
    more();
  });
  cleanups.push(server.stop);
  expect(await askDaemon(new URL(server.url), '/status.json', 60_000)).toEqual({
    ok: false,
    isRefused: false,
    error: `${server.url}/status.json answers with more than 128 MiB, which subnetd never does; correct --url`,
  });
}, 90_000);
