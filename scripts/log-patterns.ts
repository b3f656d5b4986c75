import { packs } from '../src/logs/packs.ts';
import type { LogPattern } from '../src/model/log.ts';
import type { Component } from '../src/model/target.ts';

const TITLES: Readonly<Record<Component, string>> = {
  node: '`log_block` of a node',
  bootnode: '`messages` of the bootnode',
  relayer: '`submissions` of the relayer',
  stats: '`block_data` and `history_data` of the stats server',
  frontend: '`logs` of the frontend',
};

const WHEN: Readonly<Record<Component, string>> = {
  node: 'Fails when the height in the log has not risen for `checks.rpc.stallAfter`, and for `errorWindow` after a line that means `error` or `fatal`. At a log level below 3 a healthy node prints no block: then the check is `degraded`, unless `logFiles` names the xdc.log of its data folder, which tells the height at any level. Remedy: `LOG_LEVEL=4` in the env file of the node, and recreate it.',
  bootnode:
    'Fails when a node is not heard within `bootnodeWindow`; the reason names it. A node is known by its `p2p` address, else by its port where no other node has the same. The bootnode prints this at `-verbosity 6`.',
  relayer:
    'Fails when nothing is submitted within `submissionsWithin` (by default 5m in full mode, 45m in lite mode, the heartbeat in zero mode); when an error has come since the last success; when the process or its redis is dead, no mode runs, or nothing follows the first line of a cycle. An attempt is no submission: only the success marker after it is. Silence after an attempt is normal for 750s.',
  stats:
    'Reads the files of `logs/debug`, as the container does not print these lines. `block_data` fails when no greater block number comes within `blockDataWithin`: a node repeats its block every 15s when the chain stands. `history_data` fails when no history has come since the last start of the stats server; it comes once per connection.',
  frontend: 'Fails for `errorWindow` after a line that means `error` or `fatal`.',
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = ({ name, means, literal, what, consoleOnly }: LogPattern): string =>
  `| \`${name}\` | ${means} | \`${cell(literal.trim())}\` | ${cell(what)}${consoleOnly ? ' (printed to the container alone)' : ''} |`;

/** The page about log patterns, made of the packs. */
export function logPatternsPage(): string {
  const sections = (Object.keys(packs) as Component[]).map((component) =>
    [
      `## ${TITLES[component]}`,
      '',
      WHEN[component],
      '',
      '| pattern | means | the line holds | what it is, and what to do |',
      '| --- | --- | --- | --- |',
      ...packs[component].map(row),
      '',
    ].join('\n'),
  );
  return `# Log patterns

Made by \`npm run generate\` from the packs in \`src/logs/packs\`; a test keeps it so.

A pattern that means \`progress\` shows that the program works, \`error\` and \`fatal\` that it does not, \`state\` how to judge other
lines; a \`note\` is only counted (\`subnet_log_matches_total\`). Try them on a saved log: \`bin/subnetd logs test --component relayer FILE\`.

A component's own \`patterns:\` in the inventory are added to its pack; one with the name of a pattern below replaces it. They are
run by RE2, whose time grows with the length of the line and nothing else, so look-around and back-references are refused. Each one is
tried on every line. One core still reads about 110 MB of a node's log per second with a plain text, 55 with \`(?i)\`. \`value\` is
the name of the group that holds a height, for a pattern of a node that means \`progress\`:

\`\`\`yaml
subnets:
  - name: devnet
    nodes:
      - name: subnet1
        rpc: http://127.0.0.1:8545
        logFiles: [/srv/generated/xdcchain1/xdc.log]
        patterns:
          - { name: my_block, match: 'sealed block (?<height>\\d+) by me', means: progress, value: height }
          - { name: disk_full, match: 'no space left on device', means: fatal }
\`\`\`

${sections.join('\n')}`;
}
