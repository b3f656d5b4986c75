import { parseJson } from '../../lib/values.ts';
import type { ExecFault, NodeObservation, Result } from '../../model/observation.ts';
import { IPC_SOCKET } from '../clients/geth-calls.ts';
import type { ExecOutcome } from '../docker/exec.ts';
import { parseSingle } from './json-rpc.ts';
import { toAdminPeers, toBlock } from './node-calls.ts';
import type { NodeProber } from './node-prober.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WORD = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** Go's escapes, as `%q` writes them, that JSON does not know. */
const toJsonString = (quoted: string): string =>
  quoted.replace(/\\(?:x([0-9a-f]{2})|U([0-9a-f]{8})|([av']))/g, (_, hex?: string, long?: string) => {
    const code = Number.parseInt(hex ?? long ?? '', 16);
    return code <= 0x10ffff ? JSON.stringify(String.fromCodePoint(code)).slice(1, -1) : '?';
  });

/**
 * Parses a value as `XDC attach` prints it (XDC-Subnet internal/jsre/pretty.go). That is like JSON, except that member
 * names are unquoted, and functions or very deep values are bare words. Undefined when the output is nothing of that
 * kind.
 */
export function parseAttachOutput(output: string): unknown {
  const tokens = output.match(TOKEN) ?? [];
  if (output.replace(TOKEN, '').trim() !== '') return undefined;
  const json = tokens.map((token, i) => {
    if (token.startsWith('"')) return toJsonString(token);
    if (/^[{}[\],:]$/.test(token)) return token;
    if (tokens[i + 1] === ':') return JSON.stringify(token);
    // `{...}` and `[...]` replace what is deeper than three levels.
    if (token === '...') return '';
    return WORD.test(token) ? token.toLowerCase() : 'null';
  });
  return parseJson(json.join(''));
}

/** Runs a command in the node's container. Never rejects; ends after `timeoutMs` or when the signal aborts. */
export type Exec = (command: readonly string[], timeoutMs: number, signal?: AbortSignal) => Promise<ExecOutcome>;

const failed = (why: ExecFault['why']): Result<never> => ({ ok: false, fault: { kind: 'exec', why } });

/** Sends the raw JSON-RPC call, as not every version of `XDC attach` has a method for it. */
const toScript = (consensus: string): string =>
  `web3.currentProvider.send({jsonrpc:"2.0",id:1,method:"${consensus}_getV2BlockByNumber",params:["latest"]})`;

/** Unwraps the result of the provider's answer; some versions return the value itself. */
function toResult(value: unknown): Result<unknown> {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value)) return { ok: true, value };
  const body = Buffer.from(JSON.stringify({ ...value, id: 1 }));
  return parseSingle({ status: 200, contentType: '', body });
}

/**
 * A probe that runs `XDC attach --exec …` in the node's container, once for the latest block and once for the peers. It
 * never asks for `committed`, which crashes inside a node without a committed block.
 */
export function createAttachProber(exec: Exec, consensus: string): NodeProber {
  const attach = async (script: string, deadline: number, signal?: AbortSignal): Promise<Result<unknown>> => {
    const command = ['XDC', 'attach', '--exec', script, IPC_SOCKET];
    const outcome = await exec(command, Math.max(1, Math.ceil(deadline - performance.now())), signal);
    if (!outcome.ok) return failed(outcome.why);
    if (outcome.exitCode !== 0) return failed('no-attach');
    const value = parseAttachOutput(outcome.stdout);
    return value === undefined ? failed('no-sense') : toResult(value);
  };

  return {
    probe: async (timeoutMs, signal): Promise<NodeObservation> => {
      const deadline = performance.now() + timeoutMs;
      const block = await attach(toScript(consensus), deadline, signal);
      const peers =
        block.ok || block.fault.kind === 'rpc-error' ? await attach('admin.peers', deadline, signal) : block;
      return {
        answered: block.ok || peers.ok,
        latest: block.ok ? toBlock(block.value) : block,
        peers: peers.ok ? toAdminPeers(peers.value) : peers,
      };
    },
    close: () => {},
  };
}
