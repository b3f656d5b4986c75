import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startApiDaemon } from '../../support/api-daemon.ts';

const PAGE = fileURLToPath(new URL('../../../docs/platform-api.md', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MARK = '@@end of a command@@';

/** What differs from run to run, as the page shows it. */
const settle = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-31T12:00:00.000Z')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '7d0c2b6e…')
    .replaceAll(/subnetd_[\w-]{4}(?=[…"])/g, 'subnetd_7Qm4')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ…')
    .trimEnd();

// With UPDATE_DOCS=1 the page takes what comes, for a change that is meant.
it('the walk through the API gives exactly what its page prints', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'));
  const environment = { SUBNETD_DATABASE_URL: `sqlite:${join(folder, 'subnetd.db')}`, HOME: folder };
  const daemon = await startApiDaemon(environment);
  try {
    const page = readFileSync(PAGE, 'utf8');
    const blocks = [...page.matchAll(/```console\n(.*?)```/gs)].map(([, text = '']) => text);
    const commands = blocks.flatMap((text) => text.split('\n').filter((line) => line.startsWith('$ ')));
    expect(commands.length).toBeGreaterThan(30);
    const script = commands.map((line) => `${line.slice(2)}\nprintf '%s' '${MARK}'`).join('\n');
    const ran = spawnSync('bash', ['-c', script.replace('http://127.0.0.1:10545', daemon.url)], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });
    expect(ran.stderr).toBe('');
    const outputs = ran.stdout.split(MARK).map(settle);
    let next = 0;
    const filled = page.replaceAll(/```console\n(.*?)```/gs, (_block, text: string) => {
      const lines = text.split('\n').filter((line) => line.startsWith('$ '));
      const shown = lines.map((line) => {
        const output = outputs[next];
        next += 1;
        return output ? `${line}\n${output}\n` : `${line}\n`;
      });
      return `\`\`\`console\n${shown.join('')}\`\`\``;
    });
    if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, filled);
    expect(filled).toBe(readFileSync(PAGE, 'utf8'));
  } finally {
    await daemon.end();
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
