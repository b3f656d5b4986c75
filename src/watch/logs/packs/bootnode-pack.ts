import type { LogPattern } from '../../../model/log.ts';
import { error, fatal, note, progress, state, toPack } from './pattern-rows.ts';

/** XDC-Subnet v0.3.2, `bootnode -verbosity 6` (p2p/discover/udp.go); `<<` marks received packets. */
export const bootnodePack: readonly LogPattern[] = toPack({
  received: progress('<< ', 'a node spoke to the bootnode, from the address after addr=', {
    match: /^<< (?:PING XDC\/v4|PONG\/v4|FINDNODE\/v4|NEIGHBORS\/v4)\s+addr=(\S{3,60}:\d{1,5})(?=\s)/,
  }),
  listening: state('UDP listener up', 'the bootnode was started'),
  bad_packet: note('Bad discv4 packet', 'something other than a node contacted the bootnode'),
  expired: note('err=expired', 'the clock of a node differs from that of the bootnode', {
    anywhere: true,
    match: /^<< .*\serr=expired(?=\s|$)/,
    fix: 'set both by NTP',
  }),
  read_error: error('UDP read error', 'the bootnode cannot read its socket', { fix: 'restart it' }),
  fatal_start: fatal('Fatal: ', 'the bootnode ended while it started', { fix: 'check its key and its port' }),
  panic: fatal('panic: ', 'the bootnode crashed'),
});
