import { execFileSync } from 'node:child_process';
import { parse } from 'yaml';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { median, pathOf, round } from './measure.ts';

const NODES = 10_000;
const RUNS = 5;

/** An inventory with what a node of the deployment generator has. */
const text = `subnets:\n  - name: d\n    nodes:\n${Array.from(
  { length: NODES },
  (_, i) => `      - name: n${i}
        rpc: http://10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:8545
        p2p: 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:20303
        container: { project: generated, service: n${i} }
`,
).join('')}`;

/** The ways to read it: as subnetd does, and the YAML alone. */
const WAYS = {
  subnetd: () => parseInventory(text, {}),
  yamlAlone: () => parse(text),
};

const toMillis = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** CPU milliseconds of the process, with V8's threads that compile and collect garbage; and of the thread that reads alone. */
function measureOnce(read: () => unknown) {
  const [started, startedAlone] = [process.cpuUsage(), process.threadCpuUsage()];
  read();
  return { process: toMillis(process.cpuUsage(started)), thread: toMillis(process.threadCpuUsage(startedAlone)) };
}

/** CPU milliseconds of the first reading of an inventory of 10,000 nodes in a process, as at the start of a daemon. */
export function benchInventory() {
  const measure = (way: keyof typeof WAYS) => {
    const runs = Array.from(
      { length: RUNS },
      (): ReturnType<typeof measureOnce> =>
        JSON.parse(execFileSync(process.execPath, [pathOf('./inventory.ts'), way], { encoding: 'utf8' })),
    );
    const of = (key: keyof (typeof runs)[number]) => round(median(runs.map((run) => run[key])), 0);
    return { process: of('process'), thread: of('thread') };
  };
  const [subnetd, yamlAlone] = [measure('subnetd'), measure('yamlAlone')];
  return {
    note: 'parsed, checked and converted, in a process that has read nothing before; beside the package yaml, which parses alone',
    nodes: NODES,
    readMillis: subnetd.process,
    readThreadMillis: subnetd.thread,
    yamlAloneMillis: yamlAlone.process,
    timesLessThanYamlAlone: round(yamlAlone.process / subnetd.process),
  };
}

if (process.argv[1] === pathOf('./inventory.ts')) {
  const way = Object.entries(WAYS).find(([name]) => name === process.argv[2]);
  process.stdout.write(JSON.stringify(way === undefined ? benchInventory() : measureOnce(way[1]), null, 2));
}
