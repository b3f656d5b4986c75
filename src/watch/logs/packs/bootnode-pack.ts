import type { PatternPack } from '../../../model/log.ts';

/** XDC-Subnet v0.3.2, `bootnode -verbosity 6` (p2p/discover/udp.go); `<<` marks received packets. */
export const bootnodePack: PatternPack = {
  component: 'bootnode',
  patterns: [
    {
      name: 'received',
      means: 'progress',
      literal: '<< ',
      match: /^<< (?:PING XDC\/v4|PONG\/v4|FINDNODE\/v4|NEIGHBORS\/v4)\s+addr=(\S{3,60}:\d{1,5})(?=\s)/,
      what: 'a node spoke to the bootnode, from the address after addr=',
    },
    {
      name: 'listening',
      means: 'state',
      literal: 'UDP listener up',
      what: 'the bootnode was started',
    },
    {
      name: 'bad_packet',
      means: 'note',
      literal: 'Bad discv4 packet',
      what: 'something that is no node spoke to the bootnode',
    },
    {
      name: 'expired',
      means: 'note',
      literal: 'err=expired',
      anywhere: true,
      match: /^<< .*\serr=expired(?=\s|$)/,
      what: 'the clock of a node differs from that of the bootnode',
      fix: 'set both by NTP',
    },
    {
      name: 'read_error',
      means: 'error',
      literal: 'UDP read error',
      what: 'the bootnode cannot read its socket',
      fix: 'restart it',
    },
    {
      name: 'fatal_start',
      means: 'fatal',
      literal: 'Fatal: ',
      what: 'the bootnode ended while it started',
      fix: 'check its key and its port',
    },
    { name: 'panic', means: 'fatal', literal: 'panic: ', what: 'the bootnode crashed' },
  ],
};
