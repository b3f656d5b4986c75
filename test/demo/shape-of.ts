/** A key that names a round and perhaps a block, as in a node's pool. */
const ROUND_KEY = /^\d+:\d+(:\d+:0x[0-9a-f]{64})?$/;

const kindOf = (text: string): string => {
  if (/^0x[0-9a-f]{64}$/.test(text)) return 'hash';
  if (/^0x[0-9a-f]{40}$/.test(text)) return 'address';
  if (/^0x[0-9a-f]+$/.test(text)) return 'hex';
  if (/^[0-9a-f]{128}$/.test(text)) return 'node id';
  return text === '' ? 'empty' : 'text';
};

/**
 * The shape of a JSON value: keys in their order, and the kind of each value. Of a list it has the shapes that occur, and of
 * several keys that name rounds the first.
 */
export const shapeOf = (json: unknown): unknown => {
  if (typeof json === 'string') return kindOf(json);
  if (Array.isArray(json)) {
    const shapes = new Map(json.map((each) => [JSON.stringify(shapeOf(each)), shapeOf(each)]));
    return [...shapes.values()];
  }
  if (typeof json !== 'object' || json === null) return json === null ? null : typeof json;
  const entries = Object.entries(json).map(
    ([key, value]) =>
      [key.replace(ROUND_KEY, (_, block) => (block ? 'round and block' : 'round')), shapeOf(value)] as const,
  );
  return Object.fromEntries(entries);
};
