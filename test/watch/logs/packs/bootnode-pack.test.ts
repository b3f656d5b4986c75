import { expect, test } from 'vitest';
import { judgeLinesOf } from '../../../support/judge-lines.ts';

const line = (text: string) => `TRACE[11-21|07:00:00] ${text}\n`;
const judge = judgeLinesOf('bootnode');

test.each(['PING XDC/v4', 'PONG/v4', 'FINDNODE/v4', 'NEIGHBORS/v4'])('a %s that a node sent is heard', async (kind) => {
  const { matches, check } = await judge(line(`<< ${kind.padEnd(36)} addr=192.168.25.11:20303 err=nil`));
  expect(matches).toEqual({ received: 1 });
  expect(check).toMatchObject({ verdict: 'pass', reason: expect.stringContaining('the only node') });
});

test('packets that the bootnode sends, and lines without a packet, are not heard', async () => {
  const { matches, check } = await judge(
    line('>> PING XDC/v4                           addr=192.168.25.11:20303 err=nil') +
      line('>> FINDNODE/v4                           addr=192.168.25.12:20304 err=nil') +
      'DEBUG[11-21|07:00:00] Bad discv4 packet                        addr=203.0.113.7:4444 err="bad hash"\n',
  );
  expect(matches).toEqual({ bad_packet: 1 });
  expect(check).toMatchObject({ verdict: 'unknown' });
});

test('a packet that has expired counts as heard, and shows that a clock differs', async () => {
  const { matches } = await judge(
    line('<< PING XDC/v4                           addr=192.168.25.11:20303 err=expired'),
  );
  expect(matches).toEqual({ received: 1, expired: 1 });
});

test.each(['Fatal: -nodekey: open bootnode.key: no such file', 'panic: runtime error: index out of range'])(
  '%s at the end fails',
  async (last) => {
    const { check } = await judge(
      `${line('<< PONG/v4                                addr=192.168.25.11:20303 err=nil')}${last}\n`,
    );
    expect(check?.verdict).toBe('fail');
  },
);
