import { type Command, Option } from 'commander';
import type { ExitCode } from './commands/exit-code.ts';

/** The commands for who runs subnetd; each loads its code only when it is called. `done` takes the exit code. */
export function addOperatorCommands(program: Command, done: (code: ExitCode) => void): void {
  program
    .command('health')
    .description('ask the daemon of this machine whether it lives; exit 1 when it does not')
    .addOption(new Option('--listen <host:port>', 'where it listens (default: SUBNETD_LISTEN, else 0.0.0.0:10545)'))
    .action(async (flags) => done(await (await import('./commands/health.ts')).health(flags)));
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
    .action(async (flags) => done((await import('./commands/rules.ts')).rules(flags)));
  links(program.command('dashboards'))
    .description('print the dashboards for Grafana; they find Grafana and the job by themselves')
    .argument('[name]', 'fleet, node, services or self; without it all, as a JSON array')
    .option('--directory <folder>', 'write each to a file of this folder instead')
    .action(async (name, flags) => done((await import('./commands/dashboards.ts')).dashboards(name, flags)));
  program
    .command('completion')
    .description('print a script by which a shell completes commands and flags')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell) => done((await import('./commands/completion.ts')).completion(shell, program)));
}
