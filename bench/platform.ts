import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, residentMegabytesOf, round } from './measure.ts';

/** How a server of the comparison is reached. */
interface Ready {
  readonly port: number;
  readonly key: string;
  readonly token: string;
}

const RECORDS = 50;
const CONNECTIONS = 32;
const TURN_MS = 1_000;
const TURNS = 5;

/** Requests per second over keep-alive connections, with one request at a time on each. */
async function load(port: number, path: string, forMs = TURN_MS): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const end = performance.now() + forMs;
  let done = 0;
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode} on ${path}`));
        response.on('data', () => {}).on('end', resolve);
      });
      sent.on('error', reject).end();
    });
  const worker = async () => {
    while (performance.now() < end) {
      await once();
      done += 1;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return done / seconds;
}

function start(
  folder: string,
  kind: 'subnetd' | 'bare',
): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = fork(fileURLToPath(import.meta.url), [kind, folder]);
  return new Promise((resolve, reject) => {
    child.once('message', (ready) => resolve({ child, ready: ready as Ready }));
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)));
  });
}

/** The same lists from subnetd and from a bare Hono with the same query and JSON, turn by turn in one run. */
async function compareLists(folder: string) {
  const ours = await start(folder, 'subnetd');
  const bare = await start(folder, 'bare');
  const compare = async (path: string, withToken: boolean) => {
    const credential = withToken ? `token=${ours.ready.token}` : `apiKey=${ours.ready.key}`;
    const target = `/api/ProjectType/ListAll/${path}`;
    const rates = { ours: [] as number[], bare: [] as number[] };
    for (let turn = -1; turn < TURNS; turn += 1) {
      const one = await load(ours.ready.port, `${target}?${credential}`);
      const other = await load(bare.ready.port, target);
      if (turn < 0) continue;
      rates.ours.push(one);
      rates.bare.push(other);
    }
    const [subnetd, hono] = [median(rates.ours), median(rates.bare)];
    return {
      subnetd: Math.round(subnetd),
      hono: Math.round(hono),
      ratio: Number((subnetd / hono).toFixed(2)),
      goal: withToken ? 0.35 : 0.5,
    };
  };
  try {
    return {
      list50WithKey: await compare('0', false),
      list50WithToken: await compare('0', true),
      oneWithKey: await compare('1', false),
      oneWithToken: await compare('1', true),
    };
  } finally {
    for (const { child } of [ours, bare]) {
      child.removeAllListeners('exit');
      child.kill();
    }
  }
}

/**
 * Adds by HTTP compared with plain inserts, all with the audit trail. First one insert after the other, each with its
 * own commit. Then as many at once as there are connections, which share commits as those by HTTP do.
 */
async function compareAdds(folder: string) {
  const { startApi } = await import('../test/support/api.ts');
  const { projectType } = await import('../src/platform/api/resources.ts');
  const ours = await start(mkdtempSync(join(folder, 'a-')), 'subnetd');
  const api = await startApi({ kind: 'sqlite', path: join(folder, 'adds.db') });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let made = 0;
  const byHttp = () =>
    new Promise<void>((resolve, reject) => {
      made += 1;
      const body = JSON.stringify({
        apiKey: ours.ready.key,
        ContractName: `http ${made}`,
        IsDeleted: false,
        CreateBy: 1,
      });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = httpRequest(
        { host: '127.0.0.1', port: ours.ready.port, path: '/api/ProjectType/Add', method: 'POST', agent, headers },
        (response) => {
          if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
          response.on('data', () => {}).on('end', resolve);
        },
      );
      sent.on('error', reject).end(body);
    });
  const direct = async () => {
    made += 1;
    const author = { statedBy: 1, owner: 1, credential: 'key 1', at: new Date().toISOString(), ip: '127.0.0.1' };
    await api.store.add(projectType, { ContractName: `direct ${made}`, IsDeleted: false }, author);
  };
  const rate = async (work: () => Promise<void>, workers: number) => {
    const end = performance.now() + TURN_MS;
    let done = 0;
    const worker = async () => {
      while (performance.now() < end) {
        await work();
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
    return done / (TURN_MS / 1000);
  };
  const rates = { http: [] as number[], alone: [] as number[], atOnce: [] as number[] };
  for (let turn = -1; turn < TURNS; turn += 1) {
    const turnRates = {
      http: await rate(byHttp, CONNECTIONS),
      alone: await rate(direct, 1),
      atOnce: await rate(direct, CONNECTIONS),
    };
    if (turn < 0) continue;
    rates.http.push(turnRates.http);
    rates.alone.push(turnRates.alone);
    rates.atOnce.push(turnRates.atOnce);
  }
  agent.destroy();
  ours.child.removeAllListeners('exit');
  ours.child.kill();
  await api.stop();
  const [http, alone, atOnce] = [median(rates.http), median(rates.alone), median(rates.atOnce)];
  const factor = (without: number) => Number((without / http).toFixed(2));
  return {
    byHttp: Math.round(http),
    withoutHttp: Math.round(alone),
    factor: factor(alone),
    goal: 2,
    withoutHttpAtOnce: Math.round(atOnce),
    factorAtOnce: factor(atOnce),
  };
}

/** Adds project types to the database of a server in the folder. */
async function insertProjectTypes(folder: string, number: number): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(join(folder, 'subnetd.db'), { timeout: 20_000 });
  const insert = database.prepare(
    "insert into project_type (contract_name, contract_name_key, is_deleted, create_by, create_date, create_ip) values (?, ?, 0, 1, '2026-01-31T12:00:00.000Z', '127.0.0.1')",
  );
  database.transaction(() => {
    for (let i = 0; i < number; i += 1) insert.run(`many ${i}`, `many ${i}`);
  })();
  database.close();
}

const SEARCHED = 200_000;
const SEARCHES = 40;

/** How long an add takes alone, and beside searches through many records that all come at once. */
async function addBesideSearches(folder: string) {
  const ours = await start(folder, 'subnetd');
  await insertProjectTypes(folder, SEARCHED);
  const url = `http://127.0.0.1:${ours.ready.port}/api/ProjectType`;
  let made = 0;
  const timed = async (work: () => Promise<Response>) => {
    const started = performance.now();
    const answer = await work();
    await answer.text();
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return Math.round(performance.now() - started);
  };
  const add = () => {
    made += 1;
    const body = { apiKey: ours.ready.key, ContractName: `beside ${made}`, IsDeleted: false, CreateBy: 1 };
    const headers = { 'content-type': 'application/json' };
    return timed(() => fetch(`${url}/Add`, { method: 'POST', headers, body: JSON.stringify(body) }));
  };
  const search = (query: string) => timed(() => fetch(`${url}/ListAll/0?${query}&apiKey=${ours.ready.key}`));
  try {
    await Promise.all([add(), search('search=nothing')]);
    const alone = [await add(), await add(), await add()];
    const beside: Record<string, unknown> = {};
    for (const query of [
      'search=nothing',
      'search=nothing&limit=50',
      'search=9&sort=-ContractName&limit=50&total=true',
    ]) {
      const oneSearch = await search(query);
      const searches = Array.from({ length: SEARCHES }, () => search(query));
      // The searches are on their way by then.
      await new Promise((resolve) => setTimeout(resolve, 20));
      const addMs = await add();
      beside[query] = { addMs, oneSearchMs: oneSearch, slowestSearchMs: Math.max(...(await Promise.all(searches))) };
    }
    return { records: SEARCHED, searches: SEARCHES, addAloneMs: median(alone), beside };
  } finally {
    ours.child.removeAllListeners('exit');
    ours.child.kill();
  }
}

/** Resident memory while a million records are listed, and the number of adds in that time. */
async function listMillion(folder: string) {
  const ours = await start(join(folder), 'subnetd');
  await insertProjectTypes(folder, 1_000_000);
  const url = `http://127.0.0.1:${ours.ready.port}/api/ProjectType`;
  await load(ours.ready.port, `/api/ProjectType/ListAll/1?apiKey=${ours.ready.key}`, 3_000);
  const idle = residentMegabytesOf(ours.child);
  let peak = idle;
  let adds = 0;
  let isOver = false;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMegabytesOf(ours.child));
  }, 50);
  const adding = (async () => {
    while (!isOver) {
      const body = JSON.stringify({
        apiKey: ours.ready.key,
        ContractName: `meanwhile ${adds}`,
        IsDeleted: false,
        CreateBy: 1,
      });
      const response = await fetch(`${url}/Add`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      if ((await response.text()).includes('success')) adds += 1;
    }
  })();
  const started = performance.now();
  let bytes = 0;
  const response = await fetch(`${url}/ListAll/0?apiKey=${ours.ready.key}`);
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  await adding;
  clearInterval(watch);
  ours.child.removeAllListeners('exit');
  ours.child.kill();
  return {
    megabytes: round(bytes / 1e6, 1),
    seconds: round(seconds, 1),
    idleMb: round(idle, 1),
    peakMb: round(peak, 1),
    growthMb: round(peak - idle, 1),
    goalMb: 50,
    addsMeanwhile: adds,
  };
}

/** The numbers of the platform API, as ratios within one run. Takes about a minute. */
export async function benchPlatform(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    return {
      lists: await compareLists(folder),
      adds: await compareAdds(folder),
      searches: await addBesideSearches(mkdtempSync(join(folder, 's-'))),
      million: await listMillion(mkdtempSync(join(folder, 'm-'))),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serveSubnetd(folder: string): Promise<void> {
  const { startApi } = await import('../test/support/api.ts');
  const { projectType } = await import('../src/platform/api/resources.ts');
  const api = await startApi({ kind: 'sqlite', path: join(folder, 'subnetd.db') });
  const author = { statedBy: 1, owner: 1, credential: 'key 1', at: new Date().toISOString(), ip: '127.0.0.1' };
  for (let i = 0; i < RECORDS; i += 1)
    await api.store.add(projectType, { ContractName: `contract ${i}`, IsDeleted: false }, author);
  const { token } = (await api.send('POST', '/api/Auth/Token')).data;
  process.send?.({ port: Number(new URL(api.url).port), key: api.key, token });
}

async function serveBare(folder: string): Promise<void> {
  const [{ Hono }, { serve }, { default: Database }] = await Promise.all([
    import('hono'),
    import('@hono/node-server'),
    import('better-sqlite3'),
  ]);
  const database = new Database(join(folder, 'subnetd.db'));
  const columns = `id as ProjectTypeID, contract_name as ContractName, is_deleted as IsDeleted, create_by as CreateBy,
    create_date as CreateDate, create_ip as CreateIP, update_by as UpdateBy, update_date as UpdateDate, update_ip as UpdateIP`;
  const page = database.prepare(`select ${columns} from project_type where id > ? order by id limit ?`);
  const one = database.prepare(`select ${columns} from project_type where id = ?`);
  const toRecord = (row: unknown) => ({
    ...(row as object),
    IsDeleted: (row as { IsDeleted: number }).IsDeleted === 1,
  });
  const app = new Hono();
  app.get('/api/ProjectType/ListAll/:id', (c) => {
    const id = Number(c.req.param('id'));
    const rows = id === 0 ? page.all(0, 500) : one.all(id);
    return c.json({ status: 'success', data: { items: rows.map(toRecord) } });
  });
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info: AddressInfo) =>
    process.send?.({ port: info.port, key: '', token: '' }),
  );
}

const [, file, kind, folder = ''] = process.argv;
if (file === fileURLToPath(import.meta.url)) {
  if (kind === 'subnetd') await serveSubnetd(folder);
  else if (kind === 'bare') await serveBare(folder);
  else process.stdout.write(`${JSON.stringify(await benchPlatform(), null, 2)}\n`);
}
