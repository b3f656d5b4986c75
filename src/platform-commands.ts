import type { Command } from 'commander';
import type { ExitCode } from './commands/exit-code.ts';

/** The commands of the platform API; each loads its code only when it is called. `done` takes the exit code. */
export function addPlatformCommands(program: Command, done: (code: ExitCode) => void): void {
  const admin = program.command('admin').description('admin users of the platform API');
  admin
    .command('create')
    .description('create an admin user; a generated password is printed once')
    .requiredOption('--user-name <name>', 'the name to sign in with')
    .requiredOption('--first-name <name>', 'first name')
    .requiredOption('--last-name <name>', 'last name')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password-file <file>', 'read the password from a file')
    .action(async (flags) => done(await (await import('./commands/admin-create.ts')).adminCreate(flags)));
  const apikey = program.command('apikey').description('API keys of the platform API');
  apikey
    .command('create')
    .description('create a key; it is printed once')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--owner <userid>', 'the id of the admin user whose key it is')
    .requiredOption(
      '--scope <scope>',
      'read, lists, write, admin or operate; repeatable',
      (scope: string, before: readonly string[] | undefined) => [...(before ?? []), scope],
    )
    .option('--expires <date>', 'when it expires: a day such as 2027-01-31, or a time (default: never)')
    .option('--json', 'print JSON')
    .action(async (flags) => done(await (await import('./commands/apikey.ts')).apikeyCreate(flags)));
  apikey
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'print JSON')
    .action(async (flags) => done(await (await import('./commands/apikey.ts')).apikeyList(flags)));
  apikey
    .command('revoke')
    .description('revoke a key and the tokens made from it')
    .argument('<id>', 'the id of the key')
    .action(async (id) => done(await (await import('./commands/apikey.ts')).apikeyRevoke(id)));
  program
    .command('audit')
    .description('print who changed what in the platform API, when and from where')
    .option('--since <time>', 'a time such as 2026-01-31T10:00:00Z, or how long ago, such as 24h')
    .option('--json', 'print JSON')
    .action(async (flags) => done(await (await import('./commands/audit.ts')).audit(flags)));
  program
    .command('backup')
    .description('copy the SQLite database of the platform API, also while subnetd runs')
    .argument('<file>', 'the copy; it must not exist yet')
    .action(async (file) => done(await (await import('./commands/backup.ts')).backup(file)));
  program
    .command('restore')
    .description('replace the database with a backup and keep the old one beside it; stop subnetd first')
    .argument('<file>', 'a file that subnetd backup wrote')
    .action(async (file) => done(await (await import('./commands/restore.ts')).restore(file)));
  // Commander hands neither down to the commands of a command.
  for (const command of [...admin.commands, ...apikey.commands]) command.exitOverride().showHelpAfterError();
}
