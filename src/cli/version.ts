import { readBuild } from './read-build.ts';
import type { ExitCode } from './report.ts';

/** `subnetd version` and `subnetd --version` */
export function version({ json }: { readonly json?: boolean } = {}): ExitCode {
  const build = readBuild();
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...build, node: process.version }, null, 2)}\n`);
    return 0;
  }
  process.stdout.write(`subnetd ${build.version}, commit ${build.commit}, Node.js ${process.version}\n`);
  return 0;
}
