import { Command, CommanderError, Option } from 'commander';
import { addAlertCommands } from './alert-commands.ts';
import type { ExitCode } from './commands/exit-code.ts';
import { endWhenUnread } from './commands/until-signal.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addPlatformCommands } from './platform-commands.ts';

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const config = () => new Option('--config <file>', 'the inventory (default: SUBNETD_CONFIG, else config/subnetd.yaml)');
const listen = (fallback: string) =>
  new Option('--listen <host:port>', `where to listen (default: SUBNETD_LISTEN, else ${fallback})`);

/** The commands; each loads its code only when it is called. `done` takes the exit code. */
function createProgram(done: (code: ExitCode) => void): Command {
  const program = new Command('subnetd')
    .description('Watches an XDC-style blockchain subnet and says what is wrong and what to do.')
    .option('-V, --version', 'print version, commit and Node.js')
    .exitOverride()
    .showHelpAfterError('(subnetd --help lists the commands)')
    .configureHelp({ showGlobalOptions: false });

  program
    .command('run')
    .description('run the daemon')
    .addOption(config())
    .addOption(listen('0.0.0.0:10545'))
    .action(async (flags) => done(await (await import('./commands/run.ts')).run(flags)));
  program
    .command('check-config')
    .description('check an inventory; every error is one line on stderr')
    .argument('<file>', 'the inventory')
    .option('--json', 'print the result as JSON')
    .action(async (file, flags) => done(await (await import('./commands/check-config.ts')).checkConfig(file, flags)));
  program
    .command('once')
    .description('run every check once; exit 1 when one fails')
    .addOption(config())
    .option('--json', 'print the shape of /status.json instead of a table')
    .action(async (flags) => done(await (await import('./commands/once.ts')).once(flags)));
  program
    .command('demo')
    .description('watch a simulated subnet on this machine')
    .option('--nodes <count>', 'number of nodes', '4')
    .option('--fault <name>', 'break one thing; repeatable', collect, [])
    .option('--list-faults', 'list the faults and what each changes')
    .option('--json', 'with --list-faults: as JSON')
    .option('--config-only', 'only simulate the subnet, and print its inventory')
    .addOption(listen('127.0.0.1:10545'))
    .action(async (flags) => done(await (await import('./commands/demo.ts')).demo(flags)));
  program
    .command('import')
    .description('print the inventory of a folder that the subnet deployment generator wrote')
    .argument('<dir>', 'the folder, usually called generated')
    .option('--host <host>', 'the address of that machine, if subnetd runs on another one')
    .action(async (folder, flags) => done(await (await import('./commands/import.ts')).importFolder(folder, flags)));
  addOperatorCommands(program, done);
  addPlatformCommands(program, done);
  addAlertCommands(program, done);
  program
    .command('logs')
    .description('try log patterns')
    .command('test')
    .description('try the patterns of a component on a saved log; exit 1 when it ends in a fault')
    .argument('<file>', 'the log, as the program printed it')
    .requiredOption('--component <kind>', 'node, bootnode, relayer, stats or frontend')
    .option('--json', 'print JSON')
    .action(async (file, flags) => done(await (await import('./commands/logs-test.ts')).logsTest(file, flags)));
  program
    .command('explain')
    .description('print what an alert means and what to do; without a name, list all alerts')
    .argument('[alert]', 'the name of the alert')
    .option('--json', 'print JSON')
    .action(async (name, flags) => done(await (await import('./commands/explain.ts')).explain(name, flags)));
  program
    .command('version')
    .description('print version, commit and Node.js')
    .option('--json', 'print JSON')
    .action(async (flags) => done((await import('./commands/version.ts')).version(flags)));
  return program;
}

/** Runs one command line, without the program's own name, and resolves to the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<ExitCode> {
  endWhenUnread();
  let code: ExitCode = 0;
  const program = createProgram((result) => {
    code = result;
  });
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().showHelpAfterError();
  try {
    // Read only when it is asked for, as `version` is.
    const isVersion = words[0] === '--version' || words[0] === '-V';
    await program.parseAsync(isVersion ? ['version', ...words.slice(1)] : words, { from: 'user' });
    return code;
  } catch (error) {
    // Help that was asked for is no error; commander has printed either.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}
