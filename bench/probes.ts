import { measureBlackbox } from './blackbox.ts';
import { median, round, runScript, startFakeNodes } from './measure.ts';

const NODES = 1000;
const SECONDS = 3;
const RUNS = 3;

interface Loop {
  readonly checks: number;
  readonly failed: number;
  readonly cpuMicrosPerCheck: number;
  readonly cpuMillis: number;
  readonly residentMegabytes: number;
}

/** CPU time a check beside the blackbox exporter's a probe, in turn, so that a machine that drifts drifts for both. */
async function compare(peers: number, goal: number, stretch: number) {
  const { urls, stop } = await startFakeNodes(NODES, peers);
  const ours: Loop[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    theirs.push(await measureBlackbox(urls, SECONDS));
    ours.push((await runScript('./probe-loop.ts', ['closed', String(SECONDS)], JSON.stringify(urls))) as Loop);
  }
  await stop();
  return {
    peers,
    cpuMicrosPerCheck: round(median(ours.map((loop) => loop.cpuMicrosPerCheck)), 1),
    failed: ours.reduce((sum, { failed }) => sum + failed, 0),
    residentMegabytes: round(median(ours.map((loop) => loop.residentMegabytes)), 0),
    blackboxCpuMicrosPerProbe: round(median(theirs), 1),
    timesLess: round(median(ours.map((loop, i) => (theirs[i] ?? 0) / loop.cpuMicrosPerCheck))),
    goal,
    stretch,
  };
}

/** Probes 1,000 nodes: as fast as possible beside the blackbox exporter, all at once, and spread over ten seconds. */
export async function benchProbes() {
  const few = await compare(3, 8, 10);
  const many = await compare(25, 5, 8);
  const { urls, stop } = await startFakeNodes(NODES, 3);
  const bursts: Loop[] = [];
  for (let run = 0; run < RUNS; run += 1)
    bursts.push((await runScript('./probe-loop.ts', ['burst'], JSON.stringify(urls))) as Loop);
  const chain = (await runScript('./probe-loop.ts', ['chain', String(SECONDS)], JSON.stringify(urls))) as Loop;
  const spread = (await runScript('./probe-loop.ts', ['spread', '10'], JSON.stringify(urls))) as Loop;
  await stop();
  return {
    note: 'closed loop, 1,000 targets, 64 under way, decoding included; the blackbox exporter opens a connection for each probe and does not decode, subnetd keeps its connections',
    closedLoop: [few, many],
    withTheQuestionAboutTheChain: { cpuMicrosPerCheck: round(chain.cpuMicrosPerCheck, 1), failed: chain.failed },
    burstOf1000: { cpuMillis: round(median(bursts.map(({ cpuMillis }) => cpuMillis)), 1), goal: 150 },
    spreadOver10Seconds: { cpuMicrosPerCheck: round(spread.cpuMicrosPerCheck, 1), failed: spread.failed },
  };
}
