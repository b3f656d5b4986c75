import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDocker, type Docker } from '../../../src/watch/docker/engine.ts';
import { createAttachProber, parseAttachOutput } from '../../../src/watch/probes/attach-prober.ts';
import { importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { type Engine, useEngine } from '../../support/engine.ts';

/** Peers as `XDC attach` prints them: names of members bare, and what is too deep left out. */
const PEERS = `[{
    caps: ["eth/62", "eth/100"],
    id: "aa",
    name: "XDC/v2.0.0 \\"x\\"\\x01 [y]{z}: 1,",
    network: {
      inbound: true,
      localAddress: "192.168.25.11:20303"
    },
    protocols: {
      eth: {...}
    }
}, {
    id: "bb",
    f: function()
}]`;

const BLOCK = `{
  id: 1,
  jsonrpc: "2.0",
  result: {
    Committed: false,
    Error: "",
    Number: 1234,
    Timestamp: 1732174920
  }
}`;

test('the output of `XDC attach` is parsed, including strings that look like it', () => {
  expect(parseAttachOutput(PEERS)).toMatchObject([
    { id: 'aa', name: 'XDC/v2.0.0 "x"\u0001 [y]{z}: 1,', network: { inbound: true }, protocols: { eth: {} } },
    { id: 'bb' },
  ]);
  expect(parseAttachOutput('[]\n')).toEqual([]);
  expect(parseAttachOutput('undefined\n')).toBe(null);
  for (const broken of ['', '{ a: ', 'Error: no such thing', '[{ a: 1 }', '"open'])
    expect(parseAttachOutput(broken)).toBeUndefined();
});

describe('a node that has only a container', () => {
  let engine: Engine;
  let docker: Docker;

  beforeAll(async () => {
    engine = await useEngine();
    await importBusybox(engine.docker);
    docker = createDocker({ socketPath: engine.socketPath });
  }, 90_000);

  afterAll(async () => {
    docker?.stop();
    await engine?.stop();
  }, 60_000);

  /** A container whose program XDC is this shell script; undefined: it has none. */
  const startNode = async (script: string | undefined) => {
    const install = `cat > /bin/XDC && chmod +x /bin/XDC <<'END'\n#!/bin/sh\n${script}\nEND\n`;
    const program =
      script === undefined ? '' : install.replace(' && chmod +x /bin/XDC', '').concat('chmod +x /bin/XDC\n');
    const name = uniqueName('node');
    const container = await runContainer(engine.docker, {
      name,
      command: ['sh', '-c', `${program}touch /tmp/ready; sleep 1000`],
    });
    onTestFinished(async () => void (await container.remove({ force: true })));
    const exec = (command: readonly string[], ms: number) =>
      docker.exec(container.id, command, AbortSignal.timeout(ms));
    await expect.poll(async () => exec(['test', '-e', '/tmp/ready'], 20_000)).toMatchObject({ exitCode: 0 });
    return { container, probe: createAttachProber(exec, 'XDPoS') };
  };

  test('gives its block and its peers by `XDC attach`', async () => {
    const script = `[ "$1 $2 $4" = "attach --exec /work/xdcchain/XDC.ipc" ] || exit 1
echo "a warning" >&2
case "$3" in
  admin.peers) cat <<'P'
${PEERS}
P
;;
  *XDPoS_getV2BlockByNumber*latest*) cat <<'P'
${BLOCK}
P
;;
esac`;
    const { probe } = await startNode(script);
    expect(await probe.probe(10_000)).toEqual({
      answered: true,
      latest: { ok: true, value: { number: 1234, timestamp: 1_732_174_920 } },
      peers: { ok: true, value: { count: 2, via: 'admin_peers' } },
    });
  }, 90_000);

  test.each<readonly [string, string | undefined, string]>([
    ['has no program XDC', undefined, 'no-program'],
    ['cannot attach', 'echo "Fatal: Unable to attach" >&2; exit 1', 'no-attach'],
    ['prints nonsense', 'echo hello world', 'no-sense'],
    ['prints without an end', 'yes', 'too-large'],
  ])(
    'that %s has that fault',
    async (_, script, why) => {
      const { probe } = await startNode(script);
      expect((await probe.probe(10_000)).latest).toEqual({ ok: false, fault: { kind: 'exec', why } });
    },
    30_000,
  );

  test('whose `XDC attach` hangs is reported in time, and no second one is started', async () => {
    const { container, probe } = await startNode('sleep 1000');
    expect((await probe.probe(500)).latest).toEqual({ ok: false, fault: { kind: 'exec', why: 'timeout' } });
    expect((await probe.probe(5_000)).latest).toEqual({ ok: false, fault: { kind: 'exec', why: 'still-running' } });
    const { Processes } = await container.top();
    expect(Processes.filter((words: readonly string[]) => words.join(' ').includes('XDC attach'))).toHaveLength(1);
  }, 90_000);

  test('that does not run, or is missing, is reported', async () => {
    const { container, probe } = await startNode('true');
    await container.kill();
    await container.wait();
    expect((await probe.probe(5_000)).latest).toEqual({ ok: false, fault: { kind: 'exec', why: 'not-running' } });
    const gone = createAttachProber(
      (command, ms) => docker.exec('0'.repeat(64), command, AbortSignal.timeout(ms)),
      'XDPoS',
    );
    expect((await gone.probe(5_000)).latest).toEqual({ ok: false, fault: { kind: 'exec', why: 'no-container' } });
  }, 90_000);
});
