import { closeSync, openSync, writeSync } from 'node:fs';

const BEGIN = Date.UTC(2026, 10, 1);
const BLOCK_MS = 2_000;

const stamp = (number: number): string =>
  new Date(BEGIN + number * BLOCK_MS).toISOString().slice(5, 19).replace('T', '|');

const hashOf = (number: number): string => {
  const digits = ((number * 2_654_435_761) >>> 0).toString(16).padStart(12, '5');
  return `${digits.slice(0, 6)}…${digits.slice(6)}`;
};

/** Ten lines of a node at level 4 (DEBUG), as it prints them for a block every 2 s: four of them tell a height. */
function block(number: number): string {
  const at = stamp(number);
  const hash = hashOf(number);
  const round = number + 17;
  return [
    `DEBUG[${at}] Queued propagated block                  peer=0f1e2d3c4b5a6978 number=${number} hash=${hash} queued=1`,
    `DEBUG[${at}] Importing propagated block               peer=0f1e2d3c4b5a6978 number=${number} hash=${hash}`,
    `DEBUG[${at}] [getEpochSwitchInfo] cache hit           number=${number - (number % 900)} hash=${hashOf(number - (number % 900))}`,
    `INFO [${at}] Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=1.${number % 1_000}ms mgasps=0.000 number=${number} hash=${hash} cache=12.31kB`,
    `DEBUG[${at}] [processQC] update x.highestQuorumCert   blockNum=${number} round=${round} hash=${hash}`,
    `INFO [${at}] Successfully commit and confirm block from continuous 3 blocks num=${number - 3} round=${round - 3} hash=${hashOf(number - 3)}`,
    `INFO [${at}] [setNewRound] new round and reset pools and workers round=${round + 1}`,
    `DEBUG[${at}] [yourturn] Masternode:                   index=0 address=0xAbCdEf0123456789AbCdEf0123456789AbCdEf01 parentBlockNum=${number}`,
    `DEBUG[${at}] [voteHandler] collect votes              number=3 hash=${hash} round=${round}`,
    `DEBUG[${at}] Recalculated downloader QoS values       rtt=20s confidence=1.000 ttl=1m0s`,
    '',
  ].join('\n');
}

/** Writes a node's log of at least as many bytes, up to the end of a block. Returns its size. */
export function writeNodeLog(path: string, atLeastBytes: number): { bytes: number; lines: number } {
  const file = openSync(path, 'w');
  let bytes = 0;
  let number = 1_000;
  while (bytes < atLeastBytes) {
    let chunk = '';
    for (let index = 0; index < 1_000; index++) chunk += block(number++);
    bytes += writeSync(file, chunk);
  }
  closeSync(file);
  return { bytes, lines: (number - 1_000) * 10 };
}
