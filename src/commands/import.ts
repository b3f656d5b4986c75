import { importDeployment } from '../import/import-deployment.ts';
import { type ExitCode, report } from './report.ts';

/** `subnetd import DIR [--host HOST]` */
export function importFolder(folder: string, { host }: { readonly host?: string }): ExitCode {
  const imported = importDeployment(folder, host === undefined ? {} : { host });
  if (!imported.ok) {
    report(imported.errors);
    return 2;
  }
  process.stdout.write(imported.yaml);
  report(imported.notes.map((note) => `note: ${note}`));
  return 0;
}
