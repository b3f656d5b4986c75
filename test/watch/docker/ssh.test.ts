import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerRef, SshAddress } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import type { DockerEvent } from '../../../src/watch/docker/events.ts';
import { createDockerLink } from '../../../src/watch/docker/links.ts';
import { createCredentials } from '../../../src/watch/docker/ssh-connection.ts';
import { createSshTunnel } from '../../../src/watch/docker/ssh-tunnel.ts';
import { explainDockerFault } from '../../../src/watch/rules/explain-fault.ts';
import { startBlackHole } from '../../support/black-hole.ts';
import { eventually } from '../../support/cli.ts';
import { composeLabels, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { type Engine, findProgram, useEngine } from '../../support/engine.ts';
import { type Sshd, startSshd } from '../../support/sshd.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const made: string[] = [];
let engine: Engine;
let sshd: Sshd;

beforeAll(async () => {
  engine = await useEngine();
  await importBusybox(engine.docker);
  sshd = await startSshd(`DOCKER_HOST=unix://${engine.socketPath} docker system dial-stdio`, ['MaxSessions 4']);
}, 120_000);
afterAll(async () => {
  await sshd?.stop();
  await engine?.stop();
}, 60_000);
afterEach(async () => {
  await Promise.allSettled(made.splice(0).map((id) => engine.docker.getContainer(id).remove({ force: true })));
});

const addressOf = async (more: Partial<SshAddress> = {}): Promise<SshAddress> => ({
  user: sshd.user,
  host: '127.0.0.1',
  port: sshd.port,
  identityFile: sshd.keys.good,
  knownHosts: [await sshd.knownHosts(more.port)],
  ...more,
});

/** A link to the engine behind ssh, with the events that it reports. */
function linkTo(ssh: SshAddress) {
  const events: DockerEvent[] = [];
  const link = createDockerLink((event) => void events.push(event));
  cleanups.push(link.stop);
  link.setAddress({ ssh });
  return { ...link, events };
}

/** Runs a container of a new compose project. */
async function run(...command: readonly string[]) {
  const project = uniqueName('ssh');
  made.push(project);
  const container = await runContainer(engine.docker, { name: project, command, labels: composeLabels(project, 's') });
  const ref: ContainerRef = { project, service: 's' };
  return { container, ref };
}

describe('an engine behind ssh', () => {
  it('is listed, inspected, followed and runs commands over one connection', async () => {
    const before = await sshd.signIns();
    const link = linkTo(await addressOf());
    await eventually(() => expect(link.isUp()).toBe(true));
    const { container, ref } = await run('sh', '-c', 'echo first; exec sleep 600');
    expect(await link.inspect(ref, 20_000)).toMatchObject({ kind: 'found', container: { running: true } });
    expect(await link.exec(ref, ['echo', 'hello'], 20_000)).toEqual({ ok: true, exitCode: 0, stdout: 'hello\n' });
    const log = await link.openLog(container.id, 0, new AbortController().signal);
    let text = '';
    log.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    await eventually(() => expect(text).toMatch(/first/));
    await container.kill();
    await eventually(() =>
      expect(
        link.events.filter(({ name }) => name === container.id || name === made[0]).map(({ action }) => action),
      ).toEqual(['start', 'kill', 'die']),
    );
    expect((await sshd.signIns()) - before).toBe(1);
  });

  it('is reached by a second connection when the server lets one have no more channels', async () => {
    const before = await sshd.signIns();
    const link = linkTo(await addressOf());
    const { container, ref } = await run('sh', '-c', 'while sleep 0.05; do echo line; done');
    const logs = await Promise.all(
      Array.from({ length: 6 }, () => link.openLog(container.id, 0, new AbortController().signal)),
    );
    for (const log of logs) await new Promise((resolve) => log.once('data', resolve));
    expect(await link.inspect(ref, 20_000)).toMatchObject({ kind: 'found' });
    expect((await sshd.signIns()) - before).toBeGreaterThanOrEqual(2);
    for (const log of logs) log.destroy();
  });

  it('comes back after its connection broke, and no event is lost or reported twice', async () => {
    const proxy = await startTcpProxy(sshd.port);
    cleanups.push(proxy.stop);
    const link = linkTo(await addressOf({ port: proxy.port }));
    await eventually(() => expect(link.isUp()).toBe(true));
    const { container, ref } = await run('sleep', '600');
    const own = () => link.events.filter(({ id }) => id === container.id).map(({ action }) => action);
    await eventually(() => expect(own()).toEqual(['start']));
    const log = await link.openLog(container.id, 0, new AbortController().signal);
    const ended = new Promise((resolve) => log.once('close', resolve));
    log.resume();
    proxy.cut();
    await container.kill();
    await ended;
    await eventually(() => expect(own()).toEqual(['start', 'kill', 'die']));
    await eventually(async () => expect(await link.inspect(ref, 20_000)).toMatchObject({ kind: 'found' }));
    expect(link.isUp()).toBe(true);
  });

  it('notices a connection that has died in silence', async () => {
    const proxy = await startTcpProxy(sshd.port);
    cleanups.push(proxy.stop);
    const times = { deniedMs: 1, failedMs: 1, keepaliveMs: 100 };
    const tunnel = createSshTunnel(await addressOf({ port: proxy.port }), times);
    cleanups.push(tunnel.close);
    const socket = await tunnel.open();
    const broken = new Promise((resolve) => socket.once('error', resolve));
    proxy.onRequest = () => 'is lost';
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
    proxy.onRequest = () => 'passes';
    // On a busy machine an answer may be late for such a short keepalive.
    await eventually(async () => {
      const again = await tunnel.open();
      again.write('GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n');
      const [answer] = await once(again, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    });
  });

  it('opens a channel while a connection that is no longer needed closes', async () => {
    const tunnel = createSshTunnel(await addressOf());
    cleanups.push(tunnel.close);
    // The fifth needs a second connection, which ends with it.
    for (let i = 0; i < 4; i += 1) await tunnel.open();
    const fifth = await tunnel.open();
    fifth.resume().end();
    await once(fifth, 'close');
    (await tunnel.open()).destroy();
  });

  it('is signed in to with a key that has a passphrase, and with the keys of an agent', async () => {
    await writeFile(pathOf('passphrase'), 'open sesame\n');
    const locked = linkTo(await addressOf({ identityFile: sshd.keys.locked, passphraseFile: pathOf('passphrase') }));
    expect(await locked.inspect({ name: 'nobody' }, 10_000)).toEqual({ kind: 'missing' });

    const address = await addressOf({ identityFile: sshd.keys.locked, passphraseFile: pathOf('passphrase') });
    const readCredentials = createCredentials(address);
    const [first, again] = [await readCredentials(), await readCredentials()];
    // It was not unlocked again.
    expect('key' in first && 'key' in again && first.key === again.key).toBe(true);

    const agent = pathOf('agent');
    const printed = execFileSync(findProgram('ssh-agent', 'openssh-client'), ['-a', agent], { encoding: 'utf8' });
    const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(printed)?.[1]);
    cleanups.push(() => process.kill(pid));
    const add = findProgram('ssh-add', 'openssh-client');
    execFileSync(add, ['-q', sshd.keys.good], { env: { SSH_AUTH_SOCK: agent } });
    const { identityFile: _, ...bare } = await addressOf();
    expect(await linkTo({ ...bare, agent }).inspect({ name: 'nobody' }, 10_000)).toEqual({ kind: 'missing' });
  });
});

describe('no way to an engine behind ssh', () => {
  /** What a look at an engine says, and what a person reads. */
  async function faultOf(ssh: SshAddress, timeoutMs = 10_000) {
    const observation = await linkTo(ssh).inspect({ name: 'n' }, timeoutMs);
    if (observation.kind !== 'docker-unreachable') throw new Error(`reached: ${observation.kind}`);
    const text = formatReason(explainDockerFault(observation.why));
    for (const secret of ['open sesame', 'not so', ssh.user, 'OPENSSH']) expect(text).not.toContain(`${secret}@`);
    return { code: observation.why.code, text };
  }
  const knownHostsWith = async (line: string): Promise<readonly string[]> => {
    await writeFile(pathOf('known_hosts'), line);
    return [pathOf('known_hosts')];
  };
  const publicKey = async (path: string) => (await readFile(`${path}.pub`, 'utf8')).trim();
  const host = () => `[127.0.0.1]:${sshd.port}`;

  it('is an unknown host key, and nothing is sent there', async () => {
    const { code, text } = await faultOf(await addressOf({ knownHosts: [pathOf('none')] }));
    expect(code).toBe('ssh-unknown-host');
    expect(text).toContain(`\`ssh-keyscan -p ${sshd.port} 127.0.0.1\``);
  });

  it('is another host key than the known one, one of another type, and a revoked one', async () => {
    const before = await sshd.signIns();
    const known = await publicKey(sshd.path('host'));
    const lines = [
      `${host()} ${await publicKey(sshd.otherHostKey)}\n`,
      `${host()} ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA==\n`,
      `${host()} ${known}\n@revoked * ${known}\n`,
    ];
    for (const line of lines) {
      const { code, text } = await faultOf(await addressOf({ knownHosts: await knownHostsWith(line) }));
      expect(code).toBe('ssh-changed-host');
      expect(text).toContain(`\`ssh-keygen -R '${host()}'\``);
    }
    expect(await sshd.signIns()).toBe(before);
  });

  it('is a key that the server does not accept, which is not tried again at once', async () => {
    const tried = async () => (await readFile(sshd.path('log'), 'utf8')).match(/^Failed publickey/gm)?.length ?? 0;
    const before = await tried();
    const address = await addressOf({ identityFile: sshd.keys.strange });
    expect(await faultOf(address)).toEqual({ code: 'ssh-denied', text: expect.stringContaining('authorized_keys') });
    const link = linkTo(address);
    for (let i = 0; i < 5; i += 1)
      expect(await link.inspect({ name: 'n' }, 20_000)).toHaveProperty('why.code', 'ssh-denied');
    expect(link.isUp()).toBe(false);
    expect((await tried()) - before).toBe(2);

    const tunnel = createSshTunnel(address, { deniedMs: 1, failedMs: 1, keepaliveMs: 5_000 });
    cleanups.push(tunnel.close);
    await expect(tunnel.open()).rejects.toMatchObject({ code: 'ssh-denied' });
    const accepted = await readFile(sshd.path('authorized_keys'), 'utf8');
    cleanups.push(() => writeFile(sshd.path('authorized_keys'), accepted));
    await writeFile(sshd.path('authorized_keys'), `${accepted}${await publicKey(sshd.keys.strange)}\n`);
    await eventually(async () => (await tunnel.open()).destroy());
  });

  it('is a key that is not there, is none, or is locked, and no key at all', async () => {
    const { identityFile: _, ...bare } = await addressOf();
    await writeFile(pathOf('wrong'), 'not so');
    const bad: readonly Partial<SshAddress>[] = [
      { identityFile: pathOf('none') },
      { identityFile: `${sshd.keys.good}.pub` },
      { identityFile: sshd.keys.locked },
      { identityFile: sshd.keys.locked, passphraseFile: pathOf('wrong') },
      { identityFile: sshd.keys.locked, passphraseFile: pathOf('none') },
    ];
    for (const more of bad) {
      const { code, text } = await faultOf({ ...bare, ...more });
      expect([more, code]).toEqual([more, 'ssh-bad-key']);
      expect(text).toContain('docker.passphraseFile');
    }
    expect(await faultOf(bare)).toEqual({ code: 'ssh-no-key', text: expect.stringContaining('SSH_AUTH_SOCK') });
    expect(await faultOf({ ...bare, agent: pathOf('none') })).toEqual({
      code: 'ssh-no-agent',
      text: expect.stringContaining('does not answer'),
    });
  });

  it('is a server that is not there, one that hangs, and one that is no ssh server', async () => {
    const proxy = await startTcpProxy(sshd.port);
    await proxy.stop();
    expect(await faultOf(await addressOf({ port: proxy.port }))).toEqual({
      code: 'ECONNREFUSED',
      text: expect.stringContaining('start sshd'),
    });
    const hole = await startBlackHole();
    cleanups.push(hole.stop);
    const { port } = new URL(`tcp://${hole.host}`);
    // Far shorter than the limit of the sign-in.
    expect(await faultOf(await addressOf({ port: Number(port) }), 300)).toEqual({
      code: 'timeout',
      text: expect.stringContaining(`\`ssh -p ${port} 127.0.0.1 docker ps\``),
    });
    const lost = await startTcpProxy(proxy.port);
    cleanups.push(lost.stop);
    expect(await faultOf(await addressOf({ port: lost.port }))).toHaveProperty('code', 'ssh-unreachable');
  }, 8_000);

  it.each([
    ['ssh-no-program', 'no-such-program', 'install the docker command'],
    ['ssh-no-program', 'echo open sesame >&2; exit 3', 'exactly this one'],
    ['ssh-no-right', 'echo dial unix /var/run/docker.sock: permission denied >&2; exit 1', 'group docker'],
    ['ssh-engine-down', 'DOCKER_HOST=unix:///none.sock docker system dial-stdio', 'systemctl start docker'],
    ['other', 'echo open sesame; sleep 10', 'not a Docker Engine'],
  ])('is %s when the far side runs `%s`', async (code, command, advice) => {
    const other = await startSshd(command);
    cleanups.push(other.stop);
    const address = await addressOf({ port: other.port, knownHosts: [await other.knownHosts()] });
    const fault = await faultOf({ ...address, identityFile: other.keys.good });
    expect(fault).toEqual({ code, text: expect.stringContaining(advice) });
    expect(fault.text).not.toContain('open sesame');
  });
});
