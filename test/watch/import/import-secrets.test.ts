import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL, compose, errors, fixture, imported } from './deployments.ts';

describe('secrets', () => {
  it.each(ALL)('of %s appear nowhere', (name) => {
    const folder = fixture(name);
    const files = readdirSync(folder).filter((file) => /\.env$|keys\.json$/.test(file));
    for (const file of files.filter((each) => each !== 'docker-compose.env'))
      expect(readFileSync(join(folder, file), 'utf8')).toContain('canary');
    expect(JSON.stringify([imported(folder), imported(folder, '203.0.113.4')])).not.toContain('canary');
  });

  it('in broken YAML are not quoted', () => {
    const folder = compose(
      'services:\n  subnet1:\n    environment:\n      KEY: "canary" canary: *canary\n   canary: {',
    );
    expect(errors(folder)).toEqual([expect.stringMatching(/^DIR\/docker-compose\.yml:\d+:\d+: the YAML is broken/)]);
    expect(errors(folder).join()).not.toContain('canary');
  });

  it('have files of their own, which are never opened, and neither is a pipe', () => {
    const folder = fixture('v2.0.0/wizard');
    const pipes = [
      'keys.json',
      'gen.env',
      'contract_deploy.env',
      'xdcchain1/XDC/nodekey',
      'bootnode.key',
      'subnet3.env',
    ];
    for (const file of pipes) {
      rmSync(join(folder, file), { force: true });
      // Who opens a pipe without a writer hangs.
      execFileSync('mkfifo', [join(folder, file)]);
    }
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const touched = [];
      for (const [name, call] of Object.entries(fs))
        if (typeof call === 'function' && /^[a-z]/.test(name) && !name.startsWith('stat'))
          fs[name] = (...args) => { if (typeof args[0] === 'string') touched.push(args[0]); return call(...args); };
      syncBuiltinESMExports();
      const { importDeployment } = await import(${JSON.stringify(import.meta.resolve('../../../src/watch/import/import-deployment.ts'))});
      touched.length = 0;
      const { yaml } = importDeployment(${JSON.stringify(folder)}, {});
      process.stdout.write(JSON.stringify({ yaml, touched }));
    `;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(run).toMatchObject({ status: 0, signal: null });
    const { yaml, touched } = JSON.parse(run.stdout);
    expect(yaml).toBe(imported(folder).yaml);
    const read = ['docker-compose.yml', 'subnet1.env', 'subnet2.env', 'common.env', 'genesis_input.yml'];
    expect(new Set(touched)).toEqual(new Set(read.map((file) => join(folder, file))));
  }, 90_000);
});
