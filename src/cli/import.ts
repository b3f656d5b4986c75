import { readEnvironment } from '../daemon/settings.ts';
import { type ImportOptions, importDeployment } from '../watch/import/import-deployment.ts';
import { type ExitCode, report } from './report.ts';

/** `subnetd import DIR [--host HOST | --compose] [--prefix [TEXT]]` */
export function importFolder(folder: string, flags: Omit<ImportOptions, 'environment'>): ExitCode {
  const imported = importDeployment(folder, { ...flags, environment: readEnvironment() });
  if (!imported.ok) {
    report(imported.errors);
    return 2;
  }
  process.stdout.write(imported.yaml);
  report(imported.notes.map((note) => `note: ${note}`));
  return 0;
}
