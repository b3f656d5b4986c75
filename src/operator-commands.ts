import { type Command, Option } from 'commander';
import type { ExitCode } from './commands/exit-code.ts';

/** The commands for who runs subnetd; each loads its code only when it is called. `done` takes the exit code. */
export function addOperatorCommands(program: Command, done: (code: ExitCode) => void): void {
  program
    .command('health')
    .description('ask the daemon of this machine whether it lives; exit 1 when it does not')
    .addOption(new Option('--listen <host:port>', 'where it listens (default: SUBNETD_LISTEN, else 0.0.0.0:10545)'))
    .action(async (flags) => done(await (await import('./commands/health.ts')).health(flags)));
}
