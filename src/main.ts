import { runCommandLine } from './command-line.ts';

// Whoever reads what is printed has gone away, as `head` does: end as if told to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  else throw error;
});
process.exitCode = await runCommandLine(process.argv.slice(2));
