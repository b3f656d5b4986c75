import { expect, it } from 'vitest';
import { parseSettings } from '../../src/daemon/settings.ts';

const parse = (environment: Record<string, string>, shard?: string) =>
  parseSettings(environment, { ...(shard !== undefined && { shard }) }, '127.0.0.1:0');

it('no instance has the name under which the database has what a fleet shares', () => {
  expect(parse({ SUBNETD_INSTANCE: '*' })).toEqual({
    ok: false,
    errors: ['SUBNETD_INSTANCE must not be *: the database uses that name for what the whole fleet shares'],
  });
});

it.each(['3/3', '0/0', '-1/3', '1/3/5', '00/3', '1', '1/1001'])(
  '%s is not a shard, by the environment or a flag',
  (text) => {
    const sentence = 'must be I/N, the index from 0 and the total, such as 0/3, 1/3 and 2/3';
    expect(parse({ SUBNETD_SHARD: text })).toEqual({ ok: false, errors: [`SUBNETD_SHARD ${sentence}`] });
    expect(parse({}, text)).toEqual({ ok: false, errors: [`--shard ${sentence}`] });
  },
);

it('a flag overrides the shard of the environment', () => {
  expect(parse({ SUBNETD_SHARD: '0/3' }, '2/3')).toMatchObject({ settings: { shard: { index: 2, total: 3 } } });
});
