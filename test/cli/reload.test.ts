import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eventually, startDaemon } from '../support/cli.ts';
import { type FakeServer, startHttp } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** A node that answers nothing good, and writes down with which user and password it is asked. */
async function startLockedNode(): Promise<FakeServer & { readonly logins: Set<string> }> {
  const logins = new Set<string>();
  const server = await startHttp((request, response) => {
    const [, login = ''] = (request.headers.authorization ?? '').split(' ');
    logins.add(Buffer.from(login, 'base64').toString());
    response.writeHead(403).end();
  });
  cleanups.push(server.stop);
  return { ...server, logins };
}

const inventory = (rpc: string, name = 'n') =>
  `subnets: [{ name: d, nodes: [{ name: ${name}, rpc: '${rpc}' }], checks: { rpc: { schedule: every 200ms } } }]\n`;

async function start(text: string) {
  const config = pathOf('subnetd.yaml');
  await writeFile(config, text);
  const daemon = await startDaemon(config);
  cleanups.push(() => daemon.child.kill('SIGKILL'));
  const get = async (path: string) => (await fetch(daemon.url + path)).text();
  return { ...daemon, config, get };
}

describe('a percent sign in a password', () => {
  it('is taken as it is written, at the start and at a reload, and ends nothing', async () => {
    const node = await startLockedNode();
    const withLogin = (login: string) => inventory(node.url.replace('//', `//${login}@`));
    const { child, config, finished, output } = await start(withLogin('user:100%'));
    await eventually(() => expect([...node.logins]).toEqual(['user:100%']));
    await writeFile(config, withLogin('%:5%4%C3%A9'));
    await eventually(() => expect([...node.logins]).toEqual(['user:100%', '%:5%4é']));
    child.kill('SIGTERM');
    expect([(await finished).code, output()]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
  });
});

describe('reloads', () => {
  it('go on after the inventory was a pipe to which nobody writes, and the log says what it was', async () => {
    const node = await startLockedNode();
    const { child, config, get, waitFor } = await start(inventory(node.url, 'n0'));
    await rm(config);
    execFileSync('mkfifo', [config]);
    child.kill('SIGHUP');
    await waitFor(/it is a pipe without a writer or without an end; name a file/);
    await rm(config);
    await writeFile(config, inventory(node.url, 'n1'));
    await eventually(async () => expect(await get('/metrics')).toContain('subnet_node_up{subnet="d",name="n1"}'));
  });

  it('that are asked for at once run one after another, and the last state of the file is in force', async () => {
    const node = await startLockedNode();
    const { child, url, config, get, makeKey, output } = await start(inventory(node.url, 'n0'));
    const key = await makeKey();
    const asked: Promise<Response>[] = [];
    for (let i = 1; i <= 20; i += 1) {
      await writeFile(config, i % 3 === 0 ? 'subnets: []\n' : inventory(node.url, `n${i}`));
      child.kill('SIGHUP');
      asked.push(fetch(`${url}/-/reload?apiKey=${key}`, { method: 'POST' }));
    }
    for (const response of await Promise.all(asked)) expect([200, 400]).toContain(response.status);
    await eventually(async () => {
      const page = await get('/metrics');
      expect(page).toContain('subnetd_config_last_reload_successful 1');
      expect([...new Set([...page.matchAll(/name="(n\d+)"/g)].map(([, name]) => name))]).toEqual(['n20']);
    });
    expect(output()).not.toContain('please report');
    expect(child.exitCode).toBe(null);
  });
});
