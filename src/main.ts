import { enableCompileCache } from 'node:module';

// Keeps compiled code between starts; where it cannot be written, nothing is lost but time.
enableCompileCache();

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
