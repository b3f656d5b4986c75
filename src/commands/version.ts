import type { ExitCode } from './exit-code.ts';
import { readBuild } from './read-build.ts';

/** `subnetd version` */
export function version(): ExitCode {
  const build = readBuild();
  process.stdout.write(`subnetd ${build.version}, commit ${build.commit}, Node.js ${process.version}\n`);
  return 0;
}
