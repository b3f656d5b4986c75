import { runCommandLine } from './command-line.ts';
import { tellUnread } from './commands/until-signal.ts';

// Whoever reads what is printed has gone away, as `head` does: what still runs ends as if told to, and says nothing.
let isUnread = false;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (isUnread) return;
    isUnread = true;
    if (!tellUnread()) process.exit();
  });
process.exitCode = await runCommandLine(process.argv.slice(2));
