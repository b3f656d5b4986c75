import { Command, CommanderError, Option } from 'commander';
import type { ExitCode } from './report.ts';
import type { SafeToRestartFlags } from './safe-to-restart.ts';

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const config = () => new Option('--config <file>', 'the inventory (default: SUBNETD_CONFIG, else config/subnetd.yaml)');
const listen = (fallback: string) =>
  new Option('--listen <host:port>', `where to listen (default: SUBNETD_LISTEN, else ${fallback})`);
const withoutDaemon = () => new Option('--config <file>', 'probe this inventory once instead of asking a daemon');
const alertmanager = () =>
  new Option('--url <url>', 'an Alertmanager, instead of those in the inventory; repeatable').argParser(collect);

const EXAMPLES = `
Examples:
  $ subnetd demo                                   watch a simulated subnet; needs no setup
  $ subnetd import generated > subnetd.yaml        write the inventory of a deployment
  $ subnetd check-config subnetd.yaml              check it
  $ subnetd once --config subnetd.yaml             run every check once
  $ subnetd run --config subnetd.yaml              run the daemon
  $ subnetd status                                 ask the running daemon what is wrong
  $ subnetd explain node_down                      print what a problem or an alert means
  $ subnetd safe-to-restart subnet1 --wait 10m     wait until a node may be restarted
`;

/**
 * The action of a command: loads its function when the command is called, passes it the arguments and the flags, and
 * reports its exit code.
 */
type Runs = <Words extends readonly unknown[]>(
  load: () => Promise<(...words: Words) => ExitCode | Promise<ExitCode>>,
) => (...words: Words) => Promise<void>;

function addStartCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Get started:');
  program
    .command('demo')
    .description('watch a simulated subnet on this machine')
    .option('--nodes <count>', 'number of nodes (default: 4, or as many as --clients names)')
    .option('--clients <list>', 'what the nodes run, one value for all or one each: go, xdposchain, nethermind', 'go')
    .option('--fault <name>', 'inject a fault; repeatable', collect, [])
    .option('--list-faults', 'list the faults and their effects')
    .option('--json', 'with --list-faults: as JSON')
    .option('--config-only', 'only simulate the subnet and print its inventory')
    .addOption(listen('127.0.0.1:10545'))
    .action(runs(async () => (await import('./demo.ts')).demo));
  program
    .command('import')
    .description('print the inventory of a folder that the subnet deployment generator wrote')
    .argument('<dir>', 'the folder, usually called generated')
    .option('--host <host>', 'the address of that machine, if subnetd runs elsewhere')
    .option('--compose', 'for subnetd in a container on the network of the deployment')
    .option('--prefix [text]', 'prefix node names with this text, or with the name of the subnet')
    .action(runs(async () => (await import('./import.ts')).importFolder));
  program
    .command('check-config')
    .description('check an inventory; every error is one line on stderr')
    .argument('[file]', 'the inventory, or - for standard input (default: SUBNETD_CONFIG, else config/subnetd.yaml)')
    .option('--json', 'print the result as JSON')
    .action(runs(async () => (await import('./check-config.ts')).checkConfig));
  program
    .command('run')
    .description('run the daemon')
    .addOption(config())
    .addOption(listen('0.0.0.0:10545'))
    .addOption(new Option('--shard <i/n>', 'watch only shard i of n, counted from 0 (default: SUBNETD_SHARD)'))
    .action(runs(async () => (await import('./run.ts')).run));
}

function addInspectCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Inspect:');
  program
    .command('status')
    .description(
      'print what the status page shows: the verdict on each subnet and its problems; exit 1 if any needs attention',
    )
    .option('--url <url>', 'where subnetd answers (default: this machine, by SUBNETD_LISTEN)')
    .addOption(withoutDaemon())
    .option('--watch', 'on a terminal: refresh it every two seconds until Ctrl-C')
    .option('--json', 'print /status.json')
    .action(runs(async () => (await import('./status.ts')).status));
  program
    .command('once')
    .description('run every check once; exit 1 when one fails')
    .addOption(config())
    .option('--json', 'print the shape of /status.json instead of a table')
    .action(runs(async () => (await import('./once.ts')).once));
  program
    .command('doctor')
    .description('examine everything once and print what is worth a change, worst first; exit 1 with findings')
    .addOption(config())
    .option('--folder <dir>', 'the folder of the deployment, if the inventory names no file in it')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./doctor.ts')).doctor));
  program
    .command('explain')
    .description('print what an alert or a problem means and what to do; without a name, list all alerts')
    .argument('[name]', 'the name of the alert, such as SubnetNodeDown, or of the problem, such as node_down')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./explain.ts')).explain));
  program
    .command('replay')
    .description('diagnose again what the capsule of an incident has kept; exit 1 if this version tells otherwise')
    .argument('<file>', 'the incident as JSON, or - for standard input')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./replay.ts')).replayCapsule));
  program
    .command('check-votes')
    .description('check the signatures of the double votes in an exported incident, offline; exit 1 if one is wrong')
    .argument('<file>', 'the incident as JSON, or - for standard input')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./check-votes.ts')).checkVotesOf));
  program
    .command('health')
    .description('ask the daemon of this machine whether it lives; exit 1 when it does not')
    .addOption(new Option('--listen <host:port>', 'where it listens (default: SUBNETD_LISTEN, else 0.0.0.0:10545)'))
    .action(runs(async () => (await import('./health.ts')).health));
  program
    .command('logs')
    .description('try log patterns')
    .command('test')
    .description('try the patterns of a component on a saved log; exit 1 when it ends in a fault')
    .argument('<file>', 'the log, as the program printed it')
    .requiredOption('--component <kind>', 'node, bootnode, relayer, stats or frontend')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./logs-test.ts')).logsTest));
}

function addWorkCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Planned work:');
  program
    .command('safe-to-restart')
    .description('ask the running daemon whether a node may be restarted now; exit 1 for no, 2 if undetermined')
    .argument('<node>', 'the name of the node, such as subnet1')
    .option('--subnet <name>', 'its subnet, if several have a node of this name')
    .option('--wait <duration>', 'ask until it may, for at most this long, such as 10m')
    .option('--url <url>', 'where subnetd answers (default: this machine, by SUBNETD_LISTEN)')
    .addOption(withoutDaemon())
    .option('--json', 'print JSON')
    .action(
      runs(async () => {
        const { safeToRestart } = await import('./safe-to-restart.ts');
        return (node: string, flags: SafeToRestartFlags) => safeToRestart(node, flags);
      }),
    );
  program
    .command('rolling-restart')
    .description(
      'restart nodes one after another, each right after its own turn; without --run, say when; exit 1 if one fails',
    )
    .option('--subnet <name>', 'the subnet, if there are several')
    .option('--nodes <list>', 'only these, in this order, with commas between them (default: all)')
    .option('--run <command>', "what restarts one, such as 'docker restart {container}'; {node} is its name")
    .option('--wait <duration>', 'how long to wait at most, for a moment and for a node to be back', '10m')
    .option('--url <url>', 'where subnetd answers (default: this machine, by SUBNETD_LISTEN)')
    .action(runs(async () => (await import('./rolling-restart.ts')).rollingRestart));
  program
    .command('whatif')
    .description('ask the running daemon what would happen')
    .command('stop')
    .description('if these were stopped now; exit 1 if a subnet would make no blocks, 2 if nobody knows')
    .argument(
      '<targets>',
      'names, engine:NAME, host:NAME or region:NAME, with commas between them, such as subnet2,subnet3',
    )
    .option('--subnet <name>', 'the subnet, if several have a target of this name')
    .option('--url <url>', 'where subnetd answers (default: this machine, by SUBNETD_LISTEN)')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./whatif.ts')).whatIfStopped));
  program
    .command('silence')
    .description('announce planned work, which mutes its notifications, and print its id; or end it, or list all')
    .option('--subnet <name>', 'the subnet')
    .option('--component <kind>', 'only this component: node, bootnode, relayer, stats or frontend')
    .option('--name <name>', 'only the target with this name, such as subnet1')
    .option('--for <duration>', 'how long, such as 30m or 1h')
    .option('--why <reason>', 'the reason, for whoever finds it')
    .option('--by <name>', 'who announces it (default: your user name)')
    .option('--end <id>', 'end the work and its silences; repeatable', collect)
    .option('--list', 'list announced work and the active silences')
    .option('--json', 'with --list: as JSON')
    .addOption(config())
    .addOption(alertmanager())
    .action(runs(async () => (await import('./silence.ts')).silence));
}

function addAlertCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Alerts and dashboards:');
  const links = (command: Command) =>
    command
      .option(
        '--public-url <url>',
        'where people reach subnetd (default: SUBNETD_PUBLIC_URL; without it no such links)',
      )
      .option(
        '--grafana-url <url>',
        'where people reach Grafana (default: SUBNETD_GRAFANA_URL; without it no such links)',
      )
      .option('--job <name>', 'the job of the scrape configuration that scrapes subnetd (default: subnetd)');
  links(program.command('rules'))
    .description('print the alerting rules for Prometheus')
    .addOption(
      new Option('--format <kind>', 'prometheus: a rule file; prometheusrule: for the Prometheus operator')
        .choices(['prometheus', 'prometheusrule'])
        .default('prometheus'),
    )
    .action(runs(async () => (await import('./rules.ts')).rules));
  links(program.command('dashboards'))
    .description('print the dashboards for Grafana; they find the data source and the job themselves')
    .argument('[name]', 'fleet, node, services or self; without it all, as a JSON array')
    .option('--directory <folder>', 'write each to a file of this existing folder instead')
    .action(runs(async () => (await import('./dashboards.ts')).dashboards));
  program
    .command('drill')
    .description('send a test alert to each Alertmanager, wait until it shows, and end it; or to channels')
    .option('--to <name>', 'send it through this channel of the inventory instead; repeatable', collect)
    .addOption(config())
    .addOption(alertmanager())
    .option('--hold <duration>', 'keep it firing this long, so that receivers are notified', '0s')
    .action(runs(async () => (await import('./drill.ts')).drill));
}

function addPlatformCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Platform API:');
  const admin = program.command('admin').description('admin users of the platform API');
  admin
    .command('list')
    .description('list the admin users')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./admin.ts')).adminList));
  admin
    .command('create')
    .description('create an admin user; a generated password is printed once')
    .requiredOption('--user-name <name>', 'the name to sign in with')
    .requiredOption('--first-name <name>', 'first name')
    .requiredOption('--last-name <name>', 'last name')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password-file <file>', 'read the password from a file')
    .action(runs(async () => (await import('./admin.ts')).adminCreate));
  admin
    .command('reset-password')
    .description('print a link by which an admin user sets a new password, once')
    .argument('<username>', 'the name to sign in with')
    .action(runs(async () => (await import('./admin.ts')).adminResetPassword));
  admin
    .command('remove-codes')
    .description('remove the one-time codes of an admin user who has lost them')
    .argument('<username>', 'the name to sign in with')
    .action(runs(async () => (await import('./admin.ts')).adminRemoveCodes));
  admin
    .command('erase')
    .description(
      'erase the personal data of an admin user: record, sessions, keys, mails, and values in the audit trail',
    )
    .argument('<username>', 'the name to sign in with')
    .option('--yes', 'do not ask for the name again')
    .action(runs(async () => (await import('./admin.ts')).adminErase));
  const apikey = program.command('apikey').description('API keys of the platform API');
  apikey
    .command('create')
    .description('create a key, which is printed once')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--owner <userid>', 'the id of the admin user whose key it is')
    .requiredOption('--scope <scope>', 'read, lists, write, admin or operate; repeatable', collect)
    .option('--expires <date>', 'when it expires: a day such as 2027-01-31, or a time (default: never)')
    .option(
      '--allow <addresses>',
      'the only addresses and networks (CIDR) that may use it, separated by commas (default: any)',
    )
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./apikey.ts')).apikeyCreate));
  apikey
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./apikey.ts')).apikeyList));
  apikey
    .command('rotate')
    .description('replace a key with a new one, which is printed once')
    .argument('<id>', 'the id of the key')
    .option('--keep-hours <hours>', 'hours for which the old key stays valid, 0 to 24', '24')
    .option('--expires <date>', 'when the new key expires (default: after the same lifetime as the old one)')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./apikey.ts')).apikeyRotate));
  apikey
    .command('revoke')
    .description('revoke a key and the tokens made from it')
    .argument('<id>', 'the id of the key')
    .action(runs(async () => (await import('./apikey.ts')).apikeyRevoke));
  program
    .command('audit')
    .description('print who changed what in the platform API, when and from where')
    .option('--since <time>', 'a time such as 2026-01-31T10:00:00Z, or how long ago, such as 24h')
    .option('--verify', 'verify instead that the trail is unaltered; exit 1 if it is not')
    .option('--head <head>', 'with --verify: a head that an earlier --verify printed; repeatable', collect)
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./audit.ts')).audit));
  program
    .command('backup')
    .description('copy the SQLite database of the platform API, also while subnetd runs')
    .argument('<file>', 'the copy; it must not exist yet')
    .action(runs(async () => (await import('./backup.ts')).backup));
  program
    .command('restore')
    .description('replace the database with a backup, keeping the old one beside it; stop subnetd first')
    .argument('<file>', 'a file that subnetd backup wrote')
    .action(runs(async () => (await import('./backup.ts')).restore));
}

function addOtherCommands(program: Command, runs: Runs): void {
  program.commandsGroup('Other:').helpCommand(true);
  program
    .command('mcp')
    .description('serve the Model Context Protocol on stdin and stdout: tools that only read, for an assistant')
    .option('--url <url>', 'where subnetd answers (default: this machine, by SUBNETD_LISTEN)')
    .action(runs(async () => (await import('./mcp.ts')).mcp));
  program
    .command('completion')
    .description('print a shell completion script')
    .argument('<shell>', 'bash, zsh or fish')
    .action(
      runs(async () => {
        const { completion } = await import('./completion.ts');
        return (shell: string) => completion(shell, program);
      }),
    );
  program
    .command('version')
    .description('print version, commit and Node.js')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./version.ts')).version));
}

/** All commands. `done` takes the exit code of the one that is called. */
function createProgram(done: (code: ExitCode) => void): Command {
  const runs: Runs =
    (load) =>
    async (...words) =>
      done(await (await load())(...words));
  const program = new Command('subnetd')
    .description('Watches an XDC-style blockchain subnet and says what is wrong and what to do.')
    .option('-V, --version', 'print version, commit and Node.js')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .showHelpAfterError('(subnetd --help lists the commands)')
    .configureHelp({ showGlobalOptions: false });

  addStartCommands(program, runs);
  addInspectCommands(program, runs);
  addWorkCommands(program, runs);
  addAlertCommands(program, runs);
  addPlatformCommands(program, runs);
  addOtherCommands(program, runs);
  return program;
}

/** Runs one command line, without the program's own name, and resolves to the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = createProgram((result) => {
    code = result;
  });
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().showHelpAfterError();
  try {
    // Read only when needed, as `version` is.
    const isVersion = words[0] === '--version' || words[0] === '-V';
    await program.parseAsync(isVersion ? ['version', ...words.slice(1)] : words, { from: 'user' });
    return code;
  } catch (error) {
    // Help that was asked for is not an error; commander has printed either.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}
