import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { joinAnd } from '../lib/words.ts';
import { isOfSetup, type ProblemName } from '../model/problem-catalog.ts';
import { incidentPath } from '../web/pages/paths.ts';
import type { Status } from '../web/to-status.ts';
import { askDaemon, toDaemonUrl } from './ask-daemon.ts';
import { explainName } from './explain.ts';
import { type ExitCode, quote, refuse, toJson } from './report.ts';
import { askToRestart } from './safe-to-restart.ts';
import { describeAll, readStatus } from './status.ts';
import { untilSignal } from './until-signal.ts';
import { readBuild } from './version.ts';

const WITHIN_MS = 5_000;

const say = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], isError });

type Problem = Status['subnets'][number]['problems'][number];

const INSTRUCTIONS =
  'subnetd watches blockchain subnets. Start with status. A problem has a cause (summary), evidence and what to do (fix); explain gives its ' +
  'runbook. Ask safe_to_restart before you suggest that a node is restarted. Nothing here changes anything.';

/** Every tool reads from the daemon at this address, or from the catalogue of alerts. */
function createServer(url: URL): McpServer {
  const server = new McpServer({ name: 'subnetd', version: readBuild().version }, { instructions: INSTRUCTIONS });
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const subnet = z.string().optional().describe('only this subnet');

  const problems = async (
    wanted: string | undefined,
    isWanted: (problem: Problem) => boolean,
  ): Promise<CallToolResult> => {
    const read = await readStatus(url, false);
    if (!read.ok) return say(read.error, true);
    const subnets = read.status.subnets.filter(({ name }) => wanted === undefined || name === wanted);
    if (wanted !== undefined && subnets.length === 0)
      return say(
        `there is no subnet ${quote(wanted)}; there is ${joinAnd(read.status.subnets.map(({ name }) => name))}`,
        true,
      );
    return say(toJson(subnets.flatMap((one) => one.problems).filter(isWanted), 2));
  };

  server.registerTool(
    'status',
    { description: 'The verdict on each subnet, and below it its problems, the worst first.', annotations },
    async () => {
      const read = await readStatus(url, true);
      return read.ok ? say(describeAll(read, Date.now()).join('\n')) : say(read.error, true);
    },
  );
  server.registerTool(
    'problems',
    {
      description: 'What is wrong now and why, as JSON, the worst first: cause, evidence, what to do, since when.',
      inputSchema: z.object({ subnet }),
      annotations,
    },
    (given) => problems(given.subnet, ({ problem }) => !isOfSetup(problem as ProblemName)),
  );
  server.registerTool(
    'doctor',
    {
      description: 'What is worth a change in the set-up before it breaks, as JSON, as the daemon sees it.',
      inputSchema: z.object({ subnet }),
      annotations,
    },
    (given) => problems(given.subnet, ({ problem }) => isOfSetup(problem as ProblemName)),
  );
  server.registerTool(
    'incident',
    {
      description:
        'An incident as Markdown: what happened when, and who was told. Without an id, the latest ones as an Atom feed.',
      inputSchema: z.object({
        id: z.string().optional().describe('ID, of an entry urn:subnetd:incident:ID:start of the feed'),
      }),
      annotations,
    },
    async ({ id }) => {
      const answer = await askDaemon(url, id === undefined ? '/feed.atom' : incidentPath(id, '.md'), WITHIN_MS);
      if (!answer.ok) return say(answer.error, true);
      if (answer.status === 404)
        return say(`there is no incident ${quote(id)}; without an id, this lists the latest ones`, true);
      return say(answer.text, answer.status !== 200);
    },
  );
  server.registerTool(
    'explain',
    {
      description: 'The runbook of a problem, such as node_down, or of an alert, such as SubnetNodeDown.',
      inputSchema: z.object({ name: z.string().describe('the name of the problem or alert') }),
      annotations,
    },
    async ({ name }) => {
      const explained = await explainName(name);
      return explained.ok ? say(explained.text) : say(explained.error, true);
    },
  );
  server.registerTool(
    'safe_to_restart',
    {
      description: 'Whether a node may be restarted now without costing its subnet a block, and why.',
      inputSchema: z.object({
        node: z.string().describe('the name of the node, such as subnet1'),
        subnet: z.string().optional().describe('its subnet, if several have a node of this name'),
      }),
      annotations,
    },
    async (given) => {
      const { kind, reason } = await askToRestart(url, given.node, given.subnet);
      const words = { yes: 'yes: ', no: 'no: ', unknown: 'it cannot be determined: ', refused: '' }[kind];
      return say(`${words}${reason}`, kind === 'refused');
    },
  );
  return server;
}

/**
 * `subnetd mcp`: a server of the Model Context Protocol on stdin and stdout, whose tools only read from a running daemon. It ends with
 * its client, or by a signal.
 */
export async function mcp({ url: given }: { readonly url?: string }): Promise<ExitCode> {
  const daemon = await toDaemonUrl(given);
  if (!daemon.ok) return refuse('subnetd mcp', ...daemon.errors);
  // A file on stdin, such as /dev/null, ends but does not close.
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const served = serveStdio(() => createServer(daemon.url));
  await Promise.race([ended, untilSignal()]);
  await served.close();
  return 0;
}
