import { Document, isMap, isSeq, visit } from 'yaml';
import type { Entry } from './deployment-node.ts';

/** One subnet, as `import` has found it. */
export interface ImportedSubnet {
  readonly name: string;
  readonly nodes: readonly Entry[];
  /** The single components by their key. */
  readonly services: ReadonlyMap<string, Entry>;
}

/** The inventory as a person would write it; the comment at its top names `folder`. */
export function toInventoryYaml({ name, nodes, services }: ImportedSubnet, folder: string): string {
  const document = new Document({
    subnets: [
      {
        name,
        consensus: 'XDPoS',
        nodes: nodes.map(({ value }) => value),
        ...Object.fromEntries([...services].map(([key, { value }]) => [key, value])),
      },
    ],
  });
  document.commentBefore = [
    ` The subnet deployed from ${JSON.stringify(folder)}, as \`subnetd import\` read it.`,
    ' What is left out has its default; `subnetd check-config` checks every change.',
  ].join('\n');
  const list = document.getIn(['subnets', 0, 'nodes'], true);
  if (isSeq(list))
    for (const [i, item] of list.items.entries()) {
      const comment = nodes[i]?.comment;
      if (isMap(item) && comment !== undefined) item.commentBefore = comment;
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
  return document.toString({ lineWidth: 0 });
}
