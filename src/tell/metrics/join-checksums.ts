/** The polynomial of the checksum of gzip, by RFC 1952. Its lowest power is in the highest bit, as in all numbers here. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x8000_0000;
/** x to the power of 8: a byte more. */
const BYTE = ONE >>> 8;

/** The product of two polynomials, modulo that of the checksum. */
function multiply(one: number, other: number): number {
  let product = 0;
  let shifted = other;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((one & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product;
}

/** The CRC-32 of a text and the `length` bytes that follow it, from the checksum of each. No byte is read, as in zlib's crc32_combine. */
export function joinChecksums(first: number, second: number, length: number): number {
  let shifted = first;
  let power = BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shifted = multiply(shifted, power);
    power = multiply(power, power);
  }
  return (shifted ^ second) >>> 0;
}
