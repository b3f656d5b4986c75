import { catchSignals } from './commands/until-signal.ts';

// Before anything else is loaded, which takes longer: the daemon may be told to end, or to reload, from its first moment.
if (process.argv[2] === 'run') catchSignals();

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
