import { posix } from 'node:path';
import { isRecord } from '../../lib/values.ts';
import { CLIENT_NAMES, DEFAULT_ENGINE } from '../../model/target.ts';
import { CLIENTS } from '../clients/clients.ts';
import { type AddConflict, findMaintenanceConflicts, get, listOf } from './find-maintenance-conflicts.ts';
import { findNotifyConflicts } from './find-notify-conflicts.ts';

/** A name that can be shown. One that cannot is an error by itself. */
const nameOf = (value: unknown): string | undefined => {
  const name = get(value, 'name');
  return typeof name === 'string' && name.length <= 100 && !/\p{C}/u.test(name) ? name : undefined;
};

function findTlsConflicts(tls: unknown, path: readonly PropertyKey[], add: AddConflict): void {
  if ((get(tls, 'cert') === undefined) !== (get(tls, 'key') === undefined))
    add(path, 'needs both cert and key, or neither');
}

/** The login of a node, which is for its RPC address alone. */
function findLoginConflicts(node: unknown, path: readonly PropertyKey[], add: AddConflict): void {
  const rpc = get(node, 'rpc');
  const url = typeof rpc === 'string' ? URL.parse(rpc) : null;
  for (const key of ['basicAuth', 'tls'])
    if (get(node, key) !== undefined && rpc === undefined) add([...path, key], 'needs an rpc address to use it for');
  if (get(node, 'basicAuth') !== undefined && url !== null && `${url.username}${url.password}` !== '')
    add([...path, 'basicAuth'], 'cannot be combined with user info in rpc; keep one of them');
  if (get(node, 'tls') !== undefined && url?.protocol === 'http:')
    add([...path, 'tls'], 'needs an rpc address that begins with https://');
  findTlsConflicts(get(node, 'tls'), [...path, 'tls'], add);
}

function findAlertmanagerConflicts(alertmanager: unknown, add: AddConflict): void {
  const [basicAuth, bearerTokenFile] = [get(alertmanager, 'basicAuth'), get(alertmanager, 'bearerTokenFile')];
  const known = new Set<string>();
  for (const [u, text] of listOf(get(alertmanager, 'urls')).entries()) {
    const path = ['alertmanager', 'urls', u];
    const url = typeof text === 'string' ? URL.parse(text) : null;
    if (url === null) continue;
    const { username, password, protocol, host, pathname } = url;
    const address = `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
    if (known.has(address)) add(path, 'is already in the list');
    known.add(address);
    if (`${username}${password}` !== '' && (basicAuth ?? bearerTokenFile) !== undefined)
      add(path, 'has user info as well as basicAuth or bearerTokenFile; keep one of them');
  }
  if (basicAuth !== undefined && bearerTokenFile !== undefined)
    add(
      ['alertmanager', 'bearerTokenFile'],
      'cannot be combined with basicAuth, because both use the same header; keep one of them',
    );
  findTlsConflicts(get(alertmanager, 'tls'), ['alertmanager', 'tls'], add);
}

function findNodeConflicts(node: unknown, path: readonly PropertyKey[], add: AddConflict): void {
  if (!isRecord(node)) return;
  const has = (key: string) => get(node, key) !== undefined;
  if (!has('rpc') && !has('ipc') && !has('container')) add(path, 'needs at least one of rpc, ipc and container');
  findLoginConflicts(node, path, add);
  if (get(node, 'consoleExec') !== true) return;
  if (!has('container')) add([...path, 'consoleExec'], 'needs the container in which to run XDC attach');
  const client = CLIENT_NAMES.find((name) => name === get(node, 'client'));
  if (client !== undefined && !CLIENTS[client].hasConsole)
    add(
      [...path, 'consoleExec'],
      `does not work with ${CLIENTS[client].title}, which has no console; give the node an rpc address`,
    );
}

/** The names that a `container` may give as its engine; undefined where that cannot be said. */
function engineNamesOf(docker: unknown): readonly string[] | undefined {
  const engines = get(docker, 'engines');
  if (engines === undefined) return [DEFAULT_ENGINE];
  return isRecord(engines) ? Object.keys(engines) : undefined;
}

/** Containers on an engine that `docker` does not name. */
function findEngineConflicts(document: unknown, add: AddConflict): void {
  const known = engineNamesOf(get(document, 'docker'));
  if (known === undefined) return;
  const findIn = (component: unknown, ...path: readonly PropertyKey[]): void => {
    const container = get(component, 'container');
    if (typeof container !== 'object' || container === null) return;
    const engine = get(container, 'engine');
    if (engine === undefined && !known.includes(DEFAULT_ENGINE))
      add([...path, 'container'], `needs an engine, one of those in docker.engines: ${known.join(', ')}`);
    if (typeof engine === 'string' && !known.includes(engine))
      add([...path, 'container', 'engine'], `must be the name of a Docker Engine: ${known.join(', ')}`);
  };
  for (const [s, subnet] of listOf(get(document, 'subnets')).entries()) {
    for (const [n, node] of listOf(get(subnet, 'nodes')).entries()) findIn(node, 'subnets', s, 'nodes', n);
    for (const key of ['bootnode', 'relayer', 'stats', 'frontend']) findIn(get(subnet, key), 'subnets', s, key);
  }
}

/** Two with the same labels would be one target in Prometheus. */
function findSameExporters(subnet: unknown, s: number, add: AddConflict): void {
  const known = new Set<string>();
  for (const [e, exporter] of listOf(get(subnet, 'exporters')).entries()) {
    const [kind, name] = [get(exporter, 'kind'), nameOf(exporter)];
    if (typeof kind !== 'string' || name === undefined) continue;
    if (known.has(`${kind} ${name}`))
      add(['subnets', s, 'exporters', e, 'name'], `another ${kind} of this subnet is already called ${name}`);
    known.add(`${kind} ${name}`);
  }
}

function findSubnetConflicts(subnet: unknown, s: number, add: AddConflict): void {
  const nodes = listOf(get(subnet, 'nodes'));
  const nodeNames = new Set<string>();
  let areAllNamed = true;
  for (const [n, node] of nodes.entries()) {
    const path = ['subnets', s, 'nodes', n];
    const name = nameOf(node);
    if (name === undefined) areAllNamed = false;
    else if (nodeNames.has(name)) add([...path, 'name'], `another node of this subnet is already called ${name}`);
    else nodeNames.add(name);
    findNodeConflicts(node, path, add);
  }
  findSameNodes(nodes, s, add);
  findSameExporters(subnet, s, add);
  // A node whose name has an error may be the one that is meant.
  if (!areAllNamed) return;
  for (const reader of ['relayer', 'stats']) {
    const from = get(get(subnet, reader), 'readsFrom');
    if (typeof from === 'string' && !nodeNames.has(from))
      add(['subnets', s, reader, 'readsFrom'], 'must be the name of a node of this subnet');
  }
}

/**
 * Errors between values: duplicate names and nodes, nodes with nothing to probe, engines and targets that are not there, credentials that
 * exclude each other. It takes a document that may have any other error too, so that all errors are found in one run.
 */
export function findConflicts(document: unknown) {
  const findings: { readonly path: readonly PropertyKey[]; readonly what: string }[] = [];
  const add: AddConflict = (path, what) => findings.push({ path, what });
  findAlertmanagerConflicts(get(document, 'alertmanager'), add);
  findNotifyConflicts(get(document, 'notify'), add);
  findEngineConflicts(document, add);
  findMaintenanceConflicts(document, add);
  const names = new Set<string>();
  for (const [s, subnet] of listOf(get(document, 'subnets')).entries()) {
    const name = nameOf(subnet);
    if (name !== undefined && names.has(name)) add(['subnets', s, 'name'], `another subnet is already called ${name}`);
    if (name !== undefined) names.add(name);
    findSubnetConflicts(subnet, s, add);
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
function findSameNodes(nodes: readonly unknown[], subnet: number, add: AddConflict): void {
  for (const [key, identify] of KEYS) {
    const known = new Map<string, number>();
    for (const [n, node] of nodes.entries()) {
      const id = identify(get(node, key));
      const first = id === undefined ? undefined : known.get(id);
      if (id !== undefined && first === undefined) known.set(id, n);
      if (first !== undefined)
        add(
          ['subnets', subnet, 'nodes', n, key],
          `is that of subnets[${subnet}].nodes[${first}] too, so one node would count twice; correct or remove one`,
        );
    }
  }
}
