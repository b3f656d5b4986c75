import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const scripts: Record<string, string> = {};
let commands: readonly string[] = [];
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) scripts[shell] = (await runCommand(['completion', shell])).stdout;
  const { stdout } = await runCommand(['--help']);
  commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
});

/** What bash offers for a line whose last word is not finished. */
function complete(...words: readonly string[]): readonly string[] {
  const line = ['subnetd', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${scripts.bash}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_subnetd\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('subnetd completion bash', () => {
  it('offers every command, and those that begin as it does', () => {
    expect(complete('').toSorted()).toEqual(commands.toSorted());
    expect(complete('dash')).toEqual(['dashboards']);
  });

  it('offers the commands of a command, and their flags', () => {
    expect(complete('apikey', '')).toEqual(['create', 'list', 'rotate', 'revoke']);
    expect(complete('apikey', 'create', '--')).toEqual([
      '--name',
      '--owner',
      '--scope',
      '--expires',
      '--allow',
      '--json',
      '--help',
    ]);
    expect(complete('rules', '--p')).toEqual(['--public-url']);
    expect(complete('--v')).toEqual(['--version']);
  });

  it('leaves files to bash', () => {
    expect(complete('check-config', '')).toEqual([]);
    expect(scripts.bash).toContain('complete -o default -F _subnetd subnetd\n');
  });
});

describe('the completion of other shells', () => {
  it('knows every command and flag', () => {
    for (const command of commands)
      expect(scripts.fish).toContain(`complete -c subnetd -f -n '__fish_use_subcommand' -a ${command} `);
    expect(scripts.fish).toContain(
      "complete -c subnetd -f -n '__fish_seen_subcommand_from apikey; and not __fish_seen_subcommand_from create list rotate revoke' -a revoke ",
    );
    expect(scripts.fish).toMatch(/-n '__fish_seen_subcommand_from rules' -l job -r -d 'the job/);
    expect(scripts.zsh).toBe(`autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${scripts.bash}`);
  });

  it('is refused for a shell that is not known', async () => {
    expect(await runCommand(['completion', 'toString'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'subnetd completion: the shell must be one of bash, zsh, fish\n',
    });
  });
});
