import type { LogPattern } from '../../../model/log.ts';
import { line } from './pattern-line.ts';

/** XDC-Subnet v0.3.2, `bootnode -verbosity 6` (p2p/discover/udp.go); `<<` marks received packets. */
export const bootnodePack: readonly LogPattern[] = [
  line('received', 'progress', '<< ', 'a node spoke to the bootnode, from the address after addr=', {
    match: /^<< (?:PING XDC\/v4|PONG\/v4|FINDNODE\/v4|NEIGHBORS\/v4)\s+addr=(\S{3,60}:\d{1,5})(?=\s)/,
  }),
  line('listening', 'state', 'UDP listener up', 'the bootnode was started'),
  line('bad_packet', 'note', 'Bad discv4 packet', 'something other than a node contacted the bootnode'),
  line('expired', 'note', 'err=expired', 'the clock of a node differs from that of the bootnode', {
    anywhere: true,
    match: /^<< .*\serr=expired(?=\s|$)/,
    fix: 'set both by NTP',
  }),
  line('read_error', 'error', 'UDP read error', 'the bootnode cannot read its socket', { fix: 'restart it' }),
  line('fatal_start', 'fatal', 'Fatal: ', 'the bootnode ended while it started', { fix: 'check its key and its port' }),
  line('panic', 'fatal', 'panic: ', 'the bootnode crashed'),
];
