import type { FaultName } from '../src/demo/faults.ts';
import { type DiagnosisInput, packReplay, replay } from '../src/watch/monitor/replay.ts';
import {
  compareProblems,
  FAULTS_WITH_CAPSULE,
  readCapsule,
  storedCapsules,
  writeCapsule,
} from '../test/support/capsules.ts';
import { KINDS, type StagedSubnet, startStage } from '../test/support/demo-stage.ts';
import { FROM_START } from '../test/support/fault-alerts.ts';

/**
 * Makes the capsules that test/watch/monitor/capsules.test.ts replays: breaks a simulated subnet by each fault, or by those that are
 * named, and keeps the diagnosis that found the last of its problems. A fault with a wrong or missing problem keeps its old
 * capsule, and the exit code is 1. With --words it keeps all facts, and writes what the checks and the diagnoses tell of them now.
 */
const BEFORE_MS = 12_000;
/** A degraded check is a problem after a quarter of an hour, and who lags after some more minutes. */
const WITHIN_MS = 22 * 60_000;

const checks = {
  rpc: { schedule: 'every 2s', timeout: '10s', stallAfter: '20s' },
  services: { schedule: 'every 2s', timeout: '10s' },
  containers: { schedule: 'every 2s', timeout: '10s' },
  logs: { schedule: 'every 2s', bootnodeWindow: '15s', submissionsWithin: '1m', blockDataWithin: '15s' },
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to what is wrong, if anything. */
async function keep({ simulation, input }: StagedSubnet, fault: FaultName): Promise<string | undefined> {
  if (!FROM_START.includes(fault)) {
    await sleep(BEFORE_MS);
    await simulation.setFaults([fault]);
  }
  const began = performance.now();
  let found: ReturnType<typeof compareProblems> | undefined;
  let last: DiagnosisInput | undefined;
  for (; performance.now() < began + WITHIN_MS; await sleep(500)) {
    const next = input();
    if (next === undefined || next === last) continue;
    last = next;
    const packed = packReplay(next, 'demo');
    if (packed === undefined) return `${fault}: its capsule is too large`;
    found = compareProblems(fault, replay(packed).after);
    if (found.missing.length > 0) continue;
    if (found.wrong.length > 0) return `${fault}: ${found.wrong.join(', ')} is false`;
    writeCapsule(fault, packed);
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stdout.write(`${fault}: ${found.open.join(', ')} after ${seconds} s, ${packed.length} characters\n`);
    return undefined;
  }
  return `${fault}: ${found?.missing.join(', ') ?? 'a problem'} did not come`;
}

async function keepAll(some: readonly FaultName[], fromStart: readonly FaultName[] = []): Promise<void> {
  if (some.length === 0) return;
  const plans = some.map((name) => ({ name, clients: KINDS.go }));
  const stage = await startStage(plans, { checks, roundTimeoutMs: 2_000, faults: fromStart });
  try {
    const keepOrTell = async (subnet: StagedSubnet, fault: FaultName) => {
      const error = await keep(subnet, fault);
      if (error === undefined) return;
      process.stderr.write(`npm run capsules: ${error}\n`);
      process.exitCode = 1;
    };
    await Promise.all(stage.subnets.map((subnet, index) => keepOrTell(subnet, some[index] as FaultName)));
  } finally {
    await stage.stop();
  }
}

const words = process.argv.slice(2);
const unknown = words.filter((word) => word !== '--words' && !FAULTS_WITH_CAPSULE.some((name) => name === word));
if (unknown.length > 0) {
  process.stderr.write(`npm run capsules: no fault with a capsule is ${unknown.join(', ')}\n`);
  process.exit(2);
}
if (words.includes('--words')) {
  for (const fault of storedCapsules()) writeCapsule(fault, readCapsule(fault)?.replay ?? '');
} else {
  const faults = FAULTS_WITH_CAPSULE.filter((name) => words.length === 0 || words.includes(name));
  /** What happens to subnetd itself happens to every subnet that it watches. */
  const isAlone = (fault: FaultName) =>
    fault === 'monitor-offline' || fault === 'clock-step' || FROM_START.includes(fault);
  await keepAll(faults.filter((fault) => !isAlone(fault)));
  for (const fault of faults.filter(isAlone)) await keepAll([fault], FROM_START.includes(fault) ? [fault] : []);
}
