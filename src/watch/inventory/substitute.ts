import { type Document, isPair, isScalar, isSeq, type Node, parseDocument, Scalar, visit } from 'yaml';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A reference, an escaped one, or a broken one. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/** The value of a plain scalar by itself: `3` is a number, `true` a boolean. */
function plainValue(text: string): unknown {
  const parsed = parseDocument(text, { prettyErrors: false });
  const { contents } = parsed;
  return parsed.errors.length === 0 && isScalar(contents) && contents.type === Scalar.PLAIN ? contents.value : text;
}

/** The keys and indexes that lead to a value, from its ancestors and its own key as `visit` gives them. */
function pathOf(ancestors: readonly unknown[], key: unknown): readonly PropertyKey[] {
  const path: PropertyKey[] = [];
  for (const [depth, ancestor] of ancestors.entries()) {
    if (isPair(ancestor)) path.push(String(isScalar(ancestor.key) ? ancestor.key.value : ancestor.key));
    if (isSeq(ancestor))
      path.push(depth + 1 < ancestors.length ? ancestor.items.indexOf(ancestors[depth + 1]) : Number(key));
  }
  return path;
}

/**
 * Replaces `${NAME}` in every value (not in keys) from the environment, and `$${` by `${`. A plain scalar is parsed
 * again afterwards, so `${PEERS}` can be a number. Reports references that cannot be replaced; never shows a value.
 */
export function substitute(
  document: Document,
  environment: Environment,
  report: (node: Node, path: readonly PropertyKey[], what: string) => void,
) {
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      let isReplaced = false;
      const text = node.value.replace(REFERENCE, (reference, name: string | undefined) => {
        if (reference === '$${') return '${';
        const value = name === undefined ? undefined : environment[name];
        const fault =
          name === undefined
            ? 'has a ${ without a name and a closing brace; write ${NAME}, or $${ for the two characters'
            : `\${${name}} is not set in the environment; set ${name}, or write $\${ for the two characters`;
        if (value === undefined) report(node, pathOf(ancestors, key), fault);
        isReplaced ||= value !== undefined;
        return value ?? reference;
      });
      node.value = node.type === Scalar.PLAIN && isReplaced ? plainValue(text) : text;
    },
  });
}
