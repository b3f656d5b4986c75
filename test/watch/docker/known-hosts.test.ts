import { describe, expect, it } from 'vitest';
import { findHostKeys } from '../../../src/watch/docker/ssh-connection.ts';

const A = 'AAAAC3NzaC1lZDI1NTE5AAAAIA==';
const B = 'AAAAC3NzaC1lZDI1NTE5AAAAIQ==';
/** Of OpenSSH 9.2, for the names `h` and `[h]:2222`. */
const HASHED = [
  '|1|gwZxiI5w6t+ROmkJHE5utOCzS2g=|JXVyOEUZlCGF5qEH3E7ROseu2dU=',
  '|1|7kQw8cJwjr0FFLI/9bR6/5/opn0=|frVpgqbpIqEXr/SCx2v7PGL+AHM=',
];
/** Which keys a text has for a host. */
const found = (text: string, host: string, port = 22) =>
  findHostKeys(text, host, port).map(
    ({ type, key, isRevoked }) => `${isRevoked ? '-' : ''}${type} ${key.toString('base64')}`,
  );

describe('the keys of known_hosts', () => {
  it('are those of the host and its port, by any of its names', () => {
    const text = `h,10.0.0.2 ssh-ed25519 ${A}\r\n[h]:2222 ssh-rsa ${A} a comment\n\n# h ssh-dss ${A}\nother ssh-ed25519 ${A}\n`;
    expect(found(text, 'h')).toEqual([`ssh-ed25519 ${A}`]);
    expect(found(text, 'H')).toEqual([`ssh-ed25519 ${A}`]);
    expect(found(text, '10.0.0.2')).toEqual([`ssh-ed25519 ${A}`]);
    expect(found(text, 'h', 2222)).toEqual([`ssh-rsa ${A}`]);
    expect(found(text, '10.0.0.2', 2222)).toEqual([]);
    expect(found(`[::1]:2222 ssh-rsa ${A}\n::1 ssh-ed25519 ${A}`, '::1', 2222)).toEqual([`ssh-rsa ${A}`]);
  });

  it('are found by patterns; dots and brackets are literal, and a negated pattern excludes a host', () => {
    const text = `*.example.com,!bad.example.com ssh-ed25519 ${A}\nnode?.local ssh-rsa ${A}`;
    expect(found(text, 'a.example.com')).toEqual([`ssh-ed25519 ${A}`]);
    expect(found(text, 'bad.example.com')).toEqual([]);
    expect(found(text, 'aXexample.com')).toEqual([]);
    expect(found(text, 'node1.local')).toEqual([`ssh-rsa ${A}`]);
    expect(found(text, 'node10.local')).toEqual([]);
  });

  it('are found by the hash of a name, as ssh-keygen -H writes it', () => {
    const text = HASHED.map((name) => `${name} ssh-ed25519 ${A}`).join('\n');
    expect(found(text, 'h')).toHaveLength(1);
    expect(found(text, 'h', 2222)).toHaveLength(1);
    expect(found(text, 'i')).toEqual([]);
  });

  it('are marked when they are revoked, and authorities of certificates are none', () => {
    const text = `@revoked * ssh-ed25519 ${B}\n@cert-authority * ssh-rsa ${A}\nh ssh-ed25519 ${A}`;
    expect(found(text, 'h')).toEqual([`-ssh-ed25519 ${B}`, `ssh-ed25519 ${A}`]);
  });

  it('are not found in lines that are cut off', () => {
    expect(found('h\nh ssh-ed25519\n@revoked\n|1|\n|1|x ssh-rsa AAAA', 'h')).toEqual([]);
  });
});
