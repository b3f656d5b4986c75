import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Keeps compiled code between starts, where only whoever may change the program can write; elsewhere nothing is lost but time.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/subnetd', import.meta.url)));

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
