import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { startApiDaemon } from './api-daemon.ts';
import { createApiKey } from './run-command.ts';

const WRITERS = 8;
const ROUND_WITHIN_MS = 60_000;

/** What kills left behind. */
export interface KillOutcome {
  /** How many writes were acknowledged, and those of them that are not there. */
  readonly acknowledged: number;
  readonly lost: readonly string[];
  /** What is wrong with the database file, and records without an audit event or the other way round. */
  readonly damage: readonly unknown[];
}

/** What is wrong with the chains of the audit trail. */
async function brokenTrail(path: string): Promise<readonly unknown[]> {
  const connection = await openDatabase({ kind: 'sqlite', path });
  try {
    const { platform } = await createRepositories(connection);
    return (await platform.checkTrail([])).flatMap(({ broken }) => (broken === undefined ? [] : [broken]));
  } finally {
    await connection.close();
  }
}

/** Kills one daemon after the other on one database. `seed` lets lanes kill at other moments. */
async function killInLane(times: number, seed: number): Promise<KillOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'kill-'));
  const path = join(folder, 'subnetd.db');
  const environment = {
    SUBNETD_DATABASE_URL: `sqlite:${path}`,
    SUBNETD_RATE_LIMIT: '0',
    SUBNETD_LOG_LEVEL: 'info',
  };
  try {
    const apiKey = await createApiKey(environment, 'write');
    const acknowledged: string[] = [];
    let sent = 0;
    for (let round = 0; round < times; round += 1) {
      const daemon = await startApiDaemon(environment);
      const deadline = performance.now() + ROUND_WITHIN_MS;
      const enough = acknowledged.length + 20 + (((round + seed) * 37) % 80);
      let killed: Promise<unknown> | undefined;
      // A few milliseconds later, so that it comes at any moment of a write, while the others go on.
      const kill = async () => {
        await sleep((round + seed) % 6);
        await daemon.end('SIGKILL');
      };
      const writer = async () => {
        for (;;) {
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
          if (acknowledged.length >= enough) killed ??= kill();
          if (answer === undefined && killed !== undefined) return;
          if (performance.now() > deadline) {
            killed ??= daemon.end('SIGKILL');
            throw new Error(`a round of kills did not end: ${daemon.output().slice(-2_000)}`);
          }
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      await killed;
    }
    const daemon = await startApiDaemon(environment);
    const list = await fetch(`${daemon.url}/api/ProjectType/ListAll/0?apiKey=${apiKey}`);
    const { data } = (await list.json()) as { data: { items: { ContractName: string }[] } };
    await daemon.end();
    const kept = new Set(data.items.map(({ ContractName }) => ContractName));
    const database = new Database(path, { readonly: true });
    const count = (table: string) => database.prepare(`select count(*) from ${table}`).pluck().get() as number;
    const integrity = database.pragma('integrity_check', { simple: true });
    const audited = count("audit_event where resource = 'ProjectType'");
    const trail = await brokenTrail(path);
    const damage = [
      ...trail,
      ...(integrity === 'ok' ? [] : [integrity]),
      ...(audited === count('project_type') ? [] : [`${count('project_type')} records, ${audited} audit events`]),
    ];
    database.close();
    return { acknowledged: acknowledged.length, lost: acknowledged.filter((name) => !kept.has(name)), damage };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Kills daemons by SIGKILL so many times while writers add records, each time after some writes, and starts them again.
 * `lanes` do so beside each other, each on a database of its own: most of the time a daemon that starts waits.
 */
export async function killUnderLoad(times: number, lanes = 1): Promise<KillOutcome> {
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => killInLane(Math.ceil((times - lane) / lanes), lane * 41)),
  );
  return {
    acknowledged: outcomes.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    lost: outcomes.flatMap(({ lost }) => lost),
    damage: outcomes.flatMap(({ damage }) => damage),
  };
}
