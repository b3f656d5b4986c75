import { importDeployment } from '../import/import-deployment.ts';
import { type ExitCode, report } from './report.ts';

/** `subnetd import DIR [--host HOST | --compose]` */
export function importFolder(folder: string, flags: { readonly host?: string; readonly compose?: boolean }): ExitCode {
  const imported = importDeployment(folder, flags);
  if (!imported.ok) {
    report(imported.errors);
    return 2;
  }
  process.stdout.write(imported.yaml);
  report(imported.notes.map((note) => `note: ${note}`));
  return 0;
}
