import { afterAll, beforeAll } from 'vitest';
import { type Api, startApi } from './api.ts';
import type { Databases } from './databases.ts';
import { startMailServer, type TestMailServer } from './mail-server.ts';

/** An API whose mails come to a real server in this process, and whose clock a test moves. */
export interface MailedApi {
  readonly api: Api;
  readonly server: TestMailServer;
  /** Moves the clock of the API. */
  wait(ms: number): void;
}

/** Where links in mails begin. */
export const MAILED_URL = 'https://subnetd.example.com';

/** Starts both for the hooks and tests of a file or a block; their members are there once the hooks have run. */
export function useMailedApi(
  databases: Pick<Databases, 'create'>,
  settings: Parameters<typeof startApi>[1] = {},
): MailedApi {
  const api: Partial<Api> = {};
  const server: Partial<TestMailServer> = {};
  let waited = 0;
  const now = () => Date.now() + waited;
  beforeAll(async () => {
    Object.assign(server, await startMailServer());
    const mail = {
      server: { host: '127.0.0.1', port: server.port ?? 0, isTls: false },
      from: 'subnetd@example.com',
      publicUrl: MAILED_URL,
    };
    Object.assign(api, await startApi(await databases.create(), { mail, ...settings }, undefined, { now }));
  }, 60_000);
  afterAll(async () => {
    await api.stop?.();
    await server.stop?.();
  });
  return {
    api: api as Api,
    server: server as TestMailServer,
    wait: (ms) => {
      waited += ms;
    },
  };
}
