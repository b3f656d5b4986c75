import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import type { Entry } from './deployment-node.ts';
import type { ImportedParent } from './deployment-parent.ts';
import { DEFAULT_SOCKET } from './docker-host.ts';

/** One subnet, as `import` has found it. */
export interface ImportedSubnet {
  readonly name: string;
  readonly nodes: readonly Entry[];
  /** The single components by their key. */
  readonly services: ReadonlyMap<string, Entry>;
  readonly parent?: ImportedParent | undefined;
  /** The Docker Engines, the one of this machine first; empty when it is the only one. */
  readonly engines: readonly string[];
  /** The socket of the engine of this machine, where it is not the default. */
  readonly socketPath?: string | undefined;
}

/** How each engine is reached, as far as the deployment says. */
function toDocker([here, ...others]: readonly string[], socketPath: string | undefined) {
  if (here === undefined) return socketPath !== undefined && { docker: { socketPath } };
  return {
    docker: {
      engines: {
        [here]: { socketPath: socketPath ?? DEFAULT_SOCKET },
        ...Object.fromEntries(
          others.map((name) => [name, { ssh: `ssh://subnetd@${name}`, identityFile: '/etc/subnetd/id_ed25519' }]),
        ),
      },
    },
  };
}

/** The inventory as a person would write it; the comment at its top names `folder`. */
export function toInventoryYaml(subnet: ImportedSubnet, folder: string): string {
  const { name, nodes, services, parent, engines, socketPath } = subnet;
  const document = new Document({
    subnets: [
      {
        name,
        consensus: 'XDPoS',
        nodes: nodes.map(({ value }) => value),
        ...Object.fromEntries([...services].map(([key, { value }]) => [key, value])),
        ...(parent && {
          parentChain: { rpc: '', ...parent, where: undefined },
        }),
      },
    ],
    ...toDocker(engines, socketPath),
  });
  document.commentBefore = [
    ' yaml-language-server: $schema=./inventory.schema.json',
    ` The subnet deployed from ${JSON.stringify(folder)}, as \`subnetd import\` read it.`,
    ' Omitted settings have their defaults; `subnetd check-config` checks every change.',
  ].join('\n');
  const list = document.getIn(['subnets', 0, 'nodes'], true);
  if (isSeq(list))
    for (const [i, item] of list.items.entries()) {
      const comment = nodes[i]?.comment;
      if (isMap(item) && comment !== undefined) item.commentBefore = comment;
    }
  for (const [i, name] of engines.entries()) {
    const address = document.getIn(['docker', 'engines', name], true);
    if (isMap(address)) address.flow = true;
    const list = document.getIn(['docker', 'engines'], true);
    const pair = isMap(list) ? list.items[i] : undefined;
    if (i > 0 && isScalar(pair?.key)) pair.key.commentBefore = ` Put the address of ${name} and the key for it here.`;
  }
  visit(document, {
    Pair(_, { key, value }) {
      const text = String(key);
      if ((text === 'container' && isMap(value)) || (text === 'logFiles' && isSeq(value))) value.flow = true;
    },
    Scalar(key, scalar) {
      // The inventory replaces ${NAME} from the environment, so paths are escaped.
      if (key !== 'key' && typeof scalar.value === 'string') scalar.value = scalar.value.replaceAll('${', () => '$${');
    },
  });
  if (parent !== undefined && parent.rpc === undefined) {
    const path = ['subnets', 0, 'parentChain'];
    document.setIn([...path, 'rpc'], '${PARENTNET_URL}');
    const chain = document.getIn(path, true);
    if (isMap(chain)) chain.commentBefore = ` The value of PARENTNET_URL in ${parent.where}.`;
  }
  return document.toString({ lineWidth: 0 });
}
