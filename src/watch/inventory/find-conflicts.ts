import { posix } from 'node:path';
import { isRecord } from '../../lib/values.ts';
import { CLIENT_NAMES, DEFAULT_ENGINE } from '../../model/target.ts';
import { CLIENTS } from '../clients/clients.ts';
import { findMaintenanceConflicts } from './find-maintenance-conflicts.ts';
import { findNotifyConflicts } from './find-notify-conflicts.ts';

interface Conflict {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

/** A member of a mapping; undefined of anything else. */
const get = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A name that can be shown. One that cannot is an error by itself. */
const nameOf = (value: unknown): string | undefined => {
  const name = get(value, 'name');
  return typeof name === 'string' && name.length <= 100 && !/\p{C}/u.test(name) ? name : undefined;
};

function findAlertmanagerConflicts(alertmanager: unknown): readonly Conflict[] {
  const findings: Conflict[] = [];
  const [basicAuth, bearerTokenFile] = [get(alertmanager, 'basicAuth'), get(alertmanager, 'bearerTokenFile')];
  const known = new Set<string>();
  for (const [u, text] of listOf(get(alertmanager, 'urls')).entries()) {
    const path = ['alertmanager', 'urls', u];
    const url = typeof text === 'string' ? URL.parse(text) : null;
    if (url === null) continue;
    const { username, password, protocol, host, pathname } = url;
    const address = `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
    if (known.has(address)) findings.push({ path, what: 'is already in the list' });
    known.add(address);
    if (`${username}${password}` !== '' && (basicAuth ?? bearerTokenFile) !== undefined)
      findings.push({
        path,
        what: 'has user info beside basicAuth or bearerTokenFile; keep one of them',
      });
  }
  if (basicAuth !== undefined && bearerTokenFile !== undefined)
    findings.push({
      path: ['alertmanager', 'bearerTokenFile'],
      what: 'cannot be combined with basicAuth, because both use the same header; keep one of them',
    });
  const tls = get(alertmanager, 'tls');
  if ((get(tls, 'cert') === undefined) !== (get(tls, 'key') === undefined))
    findings.push({ path: ['alertmanager', 'tls'], what: 'needs both cert and key, or neither' });
  return findings;
}

function findNodeConflicts(node: unknown, path: readonly PropertyKey[]): readonly Conflict[] {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [];
  const has = (key: string) => get(node, key) !== undefined;
  const findings: Conflict[] = [];
  if (!has('rpc') && !has('ipc') && !has('container'))
    findings.push({ path, what: 'needs at least one of rpc, ipc and container' });
  if (get(node, 'consoleExec') === true && !has('container'))
    findings.push({ path: [...path, 'consoleExec'], what: 'needs the container in which to run XDC attach' });
  const client = CLIENT_NAMES.find((name) => name === get(node, 'client'));
  if (get(node, 'consoleExec') === true && client !== undefined && !CLIENTS[client].hasConsole)
    findings.push({
      path: [...path, 'consoleExec'],
      what: `does not work with ${CLIENTS[client].title}, which has no console; give the node an rpc address`,
    });
  return findings;
}

/** The names that a `container` may give as its engine; undefined where that cannot be said. */
function engineNamesOf(docker: unknown): readonly string[] | undefined {
  const engines = get(docker, 'engines');
  if (engines === undefined) return [DEFAULT_ENGINE];
  return isRecord(engines) ? Object.keys(engines) : undefined;
}

/** Containers on an engine that `docker` does not name. */
function findEngineConflicts(document: unknown): readonly Conflict[] {
  const known = engineNamesOf(get(document, 'docker'));
  if (known === undefined) return [];
  const findIn = (component: unknown, path: readonly PropertyKey[]): readonly Conflict[] => {
    const container = get(component, 'container');
    const engine = get(container, 'engine');
    if (typeof container !== 'object' || container === null) return [];
    if (engine === undefined)
      return known.includes(DEFAULT_ENGINE)
        ? []
        : [
            {
              path: [...path, 'container'],
              what: `needs an engine, one of those in docker.engines: ${known.join(', ')}`,
            },
          ];
    return typeof engine !== 'string' || known.includes(engine)
      ? []
      : [{ path: [...path, 'container', 'engine'], what: `must be the name of a Docker Engine: ${known.join(', ')}` }];
  };
  return listOf(get(document, 'subnets')).flatMap((subnet, s) => [
    ...listOf(get(subnet, 'nodes')).flatMap((node, n) => findIn(node, ['subnets', s, 'nodes', n])),
    ...['bootnode', 'relayer', 'stats', 'frontend'].flatMap((key) => findIn(get(subnet, key), ['subnets', s, key])),
  ]);
}

/**
 * Errors between values: duplicate names and nodes, nodes with nothing to probe, engines and targets that are not there, credentials that
 * exclude each other. It takes a document that may have any other error too, so that all errors are found in one run.
 */
export function findConflicts(document: unknown): readonly Conflict[] {
  const findings: Conflict[] = [
    ...findAlertmanagerConflicts(get(document, 'alertmanager')),
    ...findNotifyConflicts(get(document, 'notify')),
    ...findEngineConflicts(document),
    ...findMaintenanceConflicts(document),
  ];
  const subnetNames = new Set<string>();
  for (const [s, subnet] of listOf(get(document, 'subnets')).entries()) {
    const subnetName = nameOf(subnet);
    if (subnetName !== undefined && subnetNames.has(subnetName))
      findings.push({ path: ['subnets', s, 'name'], what: `another subnet is already called ${subnetName}` });
    if (subnetName !== undefined) subnetNames.add(subnetName);
    const nodes = listOf(get(subnet, 'nodes'));
    const nodeNames = new Set<string>();
    let areAllNamed = true;
    nodes.forEach((node, n) => {
      const path = ['subnets', s, 'nodes', n];
      const name = nameOf(node);
      if (name === undefined) areAllNamed = false;
      else if (nodeNames.has(name))
        findings.push({ path: [...path, 'name'], what: `another node of this subnet is already called ${name}` });
      else nodeNames.add(name);
      findings.push(...findNodeConflicts(node, path));
    });
    findings.push(...findSameNodes(nodes, s));
    // A node whose name has an error may be the one that is meant.
    if (!areAllNamed) continue;
    for (const reader of ['relayer', 'stats']) {
      const from = get(get(subnet, reader), 'readsFrom');
      if (typeof from === 'string' && !nodeNames.has(from))
        findings.push({ path: ['subnets', s, reader, 'readsFrom'], what: 'must be the name of a node of this subnet' });
    }
  }
  return findings;
}

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
