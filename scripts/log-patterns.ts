import type { LogPattern } from '../src/model/log.ts';
import type { Component } from '../src/model/target.ts';
import { formatReason } from '../src/model/verdict.ts';
import { packs } from '../src/watch/logs/packs.ts';
import { wrapLines } from './wrap-lines.ts';

const TITLES: Readonly<Record<Component, string>> = {
  node: '`log_block` of a node',
  bootnode: '`messages` of the bootnode',
  relayer: '`submissions` of the relayer',
  stats: '`block_data` and `history_data` of the stats server',
  frontend: '`logs` of the frontend',
};

const WHEN: Readonly<Record<Component, string>> = {
  node: 'Fails when the height in the log has not risen for `checks.rpc.stallAfter`, and for `errorWindow` after a line that means `error` or `fatal`. Below log level 3, a healthy node prints no block. The check is then `degraded`, unless `logFiles` names the xdc.log of its data folder, which shows the height at any level. To fix this, set `LOG_LEVEL=3` in the env file of the node and recreate it.',
  bootnode:
    'Fails when the bootnode receives no message from a node within `bootnodeWindow`; the reason names the node. subnetd knows a node by its `p2p` address, else by its port if no other node has the same. The bootnode prints these lines at `-verbosity 6`.',
  relayer:
    'Fails when the relayer submits nothing within `submissionsWithin` (by default 5m in full mode, 45m in lite mode, the heartbeat in zero mode). It also fails when an error has followed the last success, the process or its redis is dead, no mode runs, or nothing follows the first line of a cycle. An attempt is not a submission: only the success line after it is. Silence after an attempt is normal for 750s.',
  stats:
    'Reads the files of `logs/debug`, because the container does not print these lines. `block_data` fails when no greater block number arrives within `blockDataWithin`; a node repeats its block every 15s when the chain is stalled. `history_data` fails when no history has arrived since the last start of the stats server. A node sends it once per connection.',
  frontend: 'Fails for `errorWindow` after a line that means `error` or `fatal`.',
};

const WHERE =
  "A pattern matches only where the program itself writes: at the beginning of the message, behind time and level, or in the field that holds an error of the program. Names and addresses that others send never match: the method of a refused call, the name of a peer, a browser's user agent. It makes no difference whether the log is in a terminal's form, JSON or logfmt, or was saved by Compose, journald or Kubernetes. Do not open a node's RPC to strangers all the same. In a terminal's form an XDC-Subnet node prints line breaks in the name of a method as they are, and a caller can imitate whole lines. JSON and logfmt leave no room for that.";

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = ({ name, means, literal, level, mark, what, fix, containerOnly }: LogPattern): string =>
  `| \`${name}\` | ${means} | \`${cell(literal.trim() || level || `/${mark?.source}/`)}\` | ${cell(formatReason({ seen: what, fix }))}${containerOnly ? ' (in the log of the container only)' : ''} |`;

/** The page about log patterns, made of the packs. */
export function logPatternsPage(): string {
  const sections = (Object.keys(packs) as Component[]).map((component) =>
    [
      `## ${TITLES[component]}`,
      '',
      wrapLines(WHEN[component]),
      '',
      '| pattern | means | the line holds | what it is, and what to do |',
      '| --- | --- | --- | --- |',
      ...packs[component].map(row),
      '',
    ].join('\n'),
  );
  return `# Log patterns

subnetd looks for these lines in the logs. Try the patterns on a saved log:

\`\`\`sh
bin/subnetd logs test --component relayer FILE
\`\`\`

A pattern has one of five meanings:

| means | the line shows |
| --- | --- |
| \`progress\` | that the program works |
| \`error\`, \`fatal\` | that it does not |
| \`state\` | how to judge other lines |
| \`note\` | something to count, in \`subnet_log_matches_total\`, and no more |

\`npm run generate\` makes this page from the packs in \`src/watch/logs/packs\`, and a test compares the two.

## Where a line is searched

${wrapLines(WHERE)}

## Your own patterns

Add \`patterns:\` to a component in the inventory. A pattern with the name of one below replaces it. RE2 runs them: its time grows with
the length of the line and nothing else, so it refuses look-around and back-references. Each pattern runs on every line. One core still
reads about 110 MB of a node's log per second with a plain text, and 55 with \`(?i)\`.

For a node's pattern that means \`progress\`, \`value\` names the group that holds the height:

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
