import { writeFileSync } from 'node:fs';
import { startDaemon, temporaryFolder } from './cli.ts';

/** A daemon as a process of its own, of which only the platform API matters. */
export interface ApiDaemon {
  readonly url: string;
  /** All that it has printed, on both streams. */
  readonly output: () => string;
  /** Ends it, by SIGTERM when nothing else is said, and gives its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const INVENTORY = `
subnets:
  - name: devnet
    consensus: XDPoS
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }]
`;

/** Starts `subnetd run` on a free port, with a node that is not there, and waits until it says that it listens. */
export async function startApiDaemon(environment: Readonly<Record<string, string>>): Promise<ApiDaemon> {
  const folder = temporaryFolder();
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const { url, output, child, finished } = await startDaemon(config, environment).catch((error) => {
    folder.remove();
    throw error;
  });
  void finished.then(folder.remove);
  return {
    url,
    output,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await finished).code;
    },
  };
}
