/** One error of an inventory; line and column count from 1. */
export interface InventoryError {
  readonly line: number;
  readonly column: number;
  /** The path in the document, such as `subnets[0].nodes[1].rpc`; empty for the document itself. */
  readonly path: string;
  readonly what: string;
}

/** An error as one line of text: `file:line:column: path: what`. */
export const formatInventoryError = (file: string, error: InventoryError): string =>
  `${file}:${error.line}:${error.column}: ${error.path === '' ? 'inventory' : error.path}: ${error.what}`;

/** A plain key as written, any other in quotes with its control characters escaped. */
const formatKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

/** A path of keys and indexes as text: `subnets[0].nodes[1].rpc`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${formatKey(String(part))}`))
    .join('');
