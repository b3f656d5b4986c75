/**
 * Copies bytes that are kept into memory of their own. Node.js cuts small buffers out of shared slabs of 64 KiB, and a
 * kept buffer keeps its slab.
 */
export function copyUnpooled(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
