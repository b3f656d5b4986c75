import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startApiDaemon } from './api-daemon.ts';

const WRITERS = 8;

/**
 * Kills the daemon by SIGKILL so many times while writers add records, each time after some writes, and starts it again.
 * Resolves to the names that were acknowledged and those that the list holds in the end.
 */
export async function killUnderLoad(times: number) {
  const folder = mkdtempSync(join(tmpdir(), 'kill-'));
  const environment = {
    SUBNETD_DATABASE_URL: `sqlite:${join(folder, 'subnetd.db')}`,
    SUBNETD_RATE_LIMIT: '0',
    SUBNETD_LOG_LEVEL: 'info',
  };
  const person = ['--user-name', 'root', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
  runCommand(['admin', 'create', ...person], environment);
  const create = ['apikey', 'create', '--name', 'k', '--owner', '1', '--scope', 'write', '--json'];
  const { key: apiKey } = JSON.parse(runCommand(create, environment)) as { key: string };
  const acknowledged: string[] = [];
  let sent = 0;
  try {
    for (let round = 0; round < times; round += 1) {
      const daemon = await startApiDaemon(environment);
      const enough = acknowledged.length + 20 + ((round * 37) % 150);
      let killed: Promise<unknown> | undefined;
      const writer = async () => {
        while (killed === undefined) {
          sent += 1;
          const ContractName = `contract ${sent}`;
          const answer = await fetch(`${daemon.url}/api/ProjectType/Add`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ apiKey, ContractName, IsDeleted: false, CreateBy: 1 }),
          }).then(
            async (response) => (await response.json()) as { status: string },
            () => undefined,
          );
          if (answer?.status === 'success') acknowledged.push(ContractName);
          if (acknowledged.length >= enough) killed ??= daemon.end('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      await killed;
    }
    const daemon = await startApiDaemon(environment);
    const list = await fetch(`${daemon.url}/api/ProjectType/ListAll/0?apiKey=${apiKey}`);
    const { data } = (await list.json()) as { data: { items: { ContractName: string }[] } };
    await daemon.end();
    return { acknowledged, kept: data.items.map(({ ContractName }) => ContractName) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
