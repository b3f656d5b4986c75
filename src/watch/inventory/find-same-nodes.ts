import { posix } from 'node:path';
import { isRecord } from '../../lib/record.ts';
import { DEFAULT_ENGINE } from '../../model/target.ts';

/** As most addresses are written, which is how `URL` writes them. To parse 10,000 of them takes 20 ms. */
const WRITTEN =
  /^https?:\/\/(?:(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])\.){3}(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])|[a-z][a-z-]*):[1-9]\d{3}$/;

/** An address that reaches the same node as another text of it; undefined for what is no URL. */
function toAddress(text: unknown): string | undefined {
  if (typeof text === 'string' && WRITTEN.test(text)) return text;
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null) return undefined;
  const { protocol, hostname, port, pathname, search } = url;
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${pathname.replace(/\/+$/, '')}${search}`;
}

function toContainer(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { engine = DEFAULT_ENGINE, name, project, service } = value;
  if (typeof name === 'string') return JSON.stringify([engine, name.replace(/^\//, '')]);
  return typeof project === 'string' && typeof service === 'string'
    ? JSON.stringify([engine, project, service])
    : undefined;
}

const KEYS: readonly (readonly [key: string, identify: (value: unknown) => string | undefined])[] = [
  ['rpc', toAddress],
  ['ipc', (value) => (typeof value === 'string' ? posix.normalize(value) : undefined)],
  ['container', toContainer],
];

/**
 * Nodes of one subnet that are the same one: it would vote twice. Two subnets may name one node, as two views of a
 * chain. `subnet` is the index of the subnet.
 */
export function findSameNodes(nodes: readonly unknown[], subnet: number) {
  return KEYS.flatMap(([key, identify]) => {
    const known = new Map<string, number>();
    return nodes.flatMap((node, n) => {
      const id = isRecord(node) && Object.hasOwn(node, key) ? identify(node[key]) : undefined;
      const first = id === undefined ? undefined : known.get(id);
      if (id !== undefined && first === undefined) known.set(id, n);
      if (first === undefined) return [];
      const what = `is that of subnets[${subnet}].nodes[${first}] too, and one node would count as two; correct or remove one`;
      return [{ path: ['subnets', subnet, 'nodes', n, key], what }];
    });
  });
}
