/**
 * A copy in memory of its own, for bytes that are kept. Node.js cuts small buffers out of slabs of 64 KiB that many share,
 * and one that is kept keeps its whole slab.
 */
export function copyUnpooled(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
