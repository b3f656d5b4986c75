import { type Command, Option } from 'commander';
import type { ExitCode } from './commands/exit-code.ts';

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const url = () =>
  new Option('--url <url>', 'an Alertmanager, instead of those in the inventory; repeatable').argParser(collect);
const config = () => new Option('--config <file>', 'the inventory (default: SUBNETD_CONFIG, else config/subnetd.yaml)');

/** The commands that call Alertmanager; each loads its code only when it is called. `done` takes the exit code. */
export function addAlertCommands(program: Command, done: (code: ExitCode) => void): void {
  program
    .command('drill')
    .description('send a test alert to each Alertmanager, wait until it shows, and end it')
    .addOption(config())
    .addOption(url())
    .option('--hold <duration>', 'keep it firing this long, so that receivers are notified', '0s')
    .action(async (flags) => done(await (await import('./commands/drill.ts')).drill(flags)));
  program
    .command('silence')
    .description('write a silence to Alertmanager and print its id; or end one, or list all')
    .option('--subnet <name>', 'the subnet')
    .option('--component <kind>', 'only this component: node, bootnode, relayer, stats or frontend')
    .option('--name <name>', 'only the target with this name, such as subnet1')
    .option('--for <duration>', 'how long, such as 30m or 1h')
    .option('--why <reason>', 'the reason, for whoever finds the silence')
    .option('--by <name>', 'who creates it (default: your user name)')
    .option('--end <id>', 'end the silence; repeatable', collect)
    .option('--list', 'list the active silences')
    .option('--json', 'with --list: as JSON')
    .addOption(config())
    .addOption(url())
    .action(async (flags) => done(await (await import('./commands/silence.ts')).silence(flags)));
}
