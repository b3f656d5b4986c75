import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { alertRules } from '../../src/alerts/alert-rules.ts';
import { findProgram } from '../support/engine.ts';

const file = fileURLToPath(new URL('../../config/alertmanager/alertmanager.yml.example', import.meta.url));
const text = readFileSync(file, 'utf8');

function amtool(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(findProgram('amtool', 'prometheus-alertmanager'), words, {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** Checks another text in the place of the file. */
function check(changed: string) {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-amtool-'));
  try {
    const path = join(folder, 'alertmanager.yml');
    writeFileSync(path, changed);
    return amtool('check-config', path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the configuration of Alertmanager', () => {
  it('is good in the eyes of amtool', () => {
    expect(amtool('check-config', file)).toMatchObject({ status: 0 });
  });

  it('is good with Slack, e-mail and the dead-man service uncommented, and keeps their secrets in files', () => {
    const setting = /^( *)# ( *(?:- )?(?:global|\w+_file|smtp_\w+|\w+_configs|channel|to|send_resolved|title|text):)/gm;
    const uncommented = text.replace(setting, '$1$2');
    expect(uncommented.match(/^ *(?:slack|email|webhook)_configs:/gm)).toHaveLength(8);
    expect(uncommented).not.toMatch(/^\s*(?:- )?\w*(?:password|slack_api_url|api_url|secret|token):/m);
    // Debian's Alertmanager does not know `url_file` of a webhook yet.
    expect(check(uncommented.replace(/- url_file: \S+/, '- url: http://127.0.0.1/'))).toMatchObject({ status: 0 });
  });

  it('is refused when it is broken, so that the check means something', () => {
    expect(check(text.replace('receiver: page', 'receiver: nobody'))).toMatchObject({ status: 1 });
  });

  it.each([
    ['critical', 'page'],
    ['warning', 'ticket'],
    ['info', 'ticket'],
    ['none', 'watchdog'],
  ])('takes what is %s to the receiver %s', (severity, receiver) => {
    const { name } = alertRules.find((rule) => rule.severity === severity) ?? {};
    const labels = [`alertname=${name}`, `severity=${severity}`, 'subnet=s'];
    const { output } = amtool('config', 'routes', 'test', `--config.file=${file}`, ...labels);
    expect(output.split('\n')).toContain(receiver);
  });

  it('silences only alerts that there are, by alerts that there are', () => {
    const names = alertRules.map(({ name }) => name);
    const matchers = [...text.matchAll(/alertname=(~?)"([^"]*)"/g)];
    expect(matchers.length).toBeGreaterThan(10);
    for (const [, isPattern, matcher = ''] of matchers)
      for (const part of matcher.split('|')) {
        const wanted = isPattern ? new RegExp(`^(?:${part})$`) : { test: (name: string) => name === part };
        expect(
          names.some((name) => wanted.test(name)),
          part,
        ).toBe(true);
      }
  });
});
