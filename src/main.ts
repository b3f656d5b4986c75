import { catchSignals, endWhenUnread } from './cli/until-signal.ts';

// This comes before the slow imports: the daemon handles signals to stop or reload from its first moment.
if (process.argv[2] === 'run') catchSignals();

endWhenUnread();
const { runCommandLine } = await import('./cli/program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
