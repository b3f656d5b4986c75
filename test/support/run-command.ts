import { runCommandLine } from '../../src/cli/program.ts';

/** What a finished command left. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Commands share stdout, stderr and the environment of the process, so each waits for the one before it. */
let before: Promise<unknown> = Promise.resolve();

/** Takes what is written to a stream until `release`. */
function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly release: () => void } {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
}

/** Sets variables of the environment; `release` gives each its value of before. */
function setVariables(variables: Environment): { readonly release: () => void } {
  const names = Object.keys(variables);
  const values = names.map((name) => process.env[name]);
  Object.assign(process.env, variables);
  return {
    release: () => {
      for (const [index, name] of names.entries()) {
        const value = values[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}

async function run(words: readonly string[], environment: Environment): Promise<Finished> {
  const variables = setVariables({ NO_COLOR: '1', ...environment });
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  try {
    const code = await runCommandLine(words);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const { release } of [stdout, stderr, variables]) release();
  }
}

/**
 * Runs a command to its end in this process, and gives what `runCli` gives: a start of the program takes longer than most
 * commands. It is not for a command that runs until a signal, or whose process itself matters.
 */
export function runCommand(words: readonly string[], environment: Environment = {}): Promise<Finished> {
  const finished = before.then(() => run(words, environment));
  before = finished.catch(() => {});
  return finished;
}

/** Runs a command that must succeed, and gives what it printed. */
export async function printOf(words: readonly string[], environment: Environment): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words, environment);
  if (code !== 0) throw new Error(`subnetd ${words.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Creates the first admin user of a database, and an API key of that user with the scope. */
export async function createApiKey(environment: Environment, scope: string, ...flags: string[]): Promise<string> {
  const person = ['--user-name', 'root', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
  await printOf(['admin', 'create', ...person, ...flags], environment);
  const key = ['--name', 'k', '--owner', '1', '--scope', scope, '--json'];
  return (JSON.parse(await printOf(['apikey', 'create', ...key], environment)) as { readonly key: string }).key;
}
