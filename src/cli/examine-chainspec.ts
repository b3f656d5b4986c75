import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../lib/values.ts';
import { listNames, toShellWord } from '../lib/words.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { clientOf } from '../watch/clients/clients.ts';
import { compareChainspec } from './compare-chainspec.ts';
import type { Unexamined } from './list-examinations.ts';
import type { DoctorFinding, DoctorReport } from './list-findings.ts';

const WHAT = 'whether chainspec.json matches genesis.json';

/** Genesis files of large networks have some megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

type ReadFile = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

function readJson(path: string): ReadFile {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { ok: false, why: `${path} is not a file` };
    if (stats.size > MAX_BYTES) return { ok: false, why: `${path} is larger than 64 MiB` };
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? { ok: true, value } : { ok: false, why: `${path} is not a JSON object` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return { ok: false, why: `${path} is not valid JSON` };
    return { ok: false, why: code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})` };
  }
}

/** Whether there is anything at the path; undefined when we may not know. */
function exists(path: string): boolean | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

/** The data folder lies in that of the deployment, and the log at most two levels below it. */
const LEVELS = 3;

/** The folder of the deployment: the nearest above a file of a node in which a chain file lies, else one that is closed to us. */
function findFolder({ targets }: SubnetState): string | undefined {
  let closed: string | undefined;
  const paths = targets.flatMap(({ target }) =>
    target.component === 'node'
      ? [...(target.ipc === undefined ? [] : [target.ipc]), ...target.logFiles.map(({ path }) => path)]
      : [],
  );
  for (const path of paths)
    for (let folder = dirname(path), level = 0; level < LEVELS; level += 1) {
      const found = ['chainspec.json', 'genesis.json'].map((name) => exists(join(folder, name)));
      if (found.includes(true)) return folder;
      if (found.includes(undefined)) closed = folder;
      folder = dirname(folder);
    }
  return closed;
}

const readsChainspec = ({ target, facts }: TargetState): boolean =>
  target.component === 'node' && clientOf({ target, facts }).deployment.chainFile === 'chainspec.json';

interface Examined {
  readonly finding?: DoctorFinding;
  readonly unexamined?: Unexamined;
}

function examine(state: SubnetState, given: string | undefined): Examined | undefined {
  const subnet = state.subnet.name;
  const names = state.targets.filter(readsChainspec).map(({ target }) => target.name);
  const unexamined = (because: string, fix?: string): Examined => ({
    unexamined: {
      ...{ subnet, what: WHAT, names: names.length > 0 ? names : ['chainspec.json'], because },
      ...(fix !== undefined && { fix }),
      failed: fix === undefined,
    },
  });
  const folder = given ?? findFolder(state);
  const chainspecPath = folder === undefined ? undefined : join(folder, 'chainspec.json');
  // Only Nethermind reads it, so where there is neither, there is nothing to compare.
  if (names.length === 0 && given === undefined && (chainspecPath === undefined || !exists(chainspecPath)))
    return undefined;
  if (folder === undefined || chainspecPath === undefined)
    return unexamined(
      'the inventory names no file in the folder of the deployment',
      'run subnetd doctor with --folder DIR on the machine of the deployment',
    );
  const genesis = readJson(join(folder, 'genesis.json'));
  if (!genesis.ok) return unexamined(genesis.why);
  const chainspec = readJson(chainspecPath);
  if (!chainspec.ok) return unexamined(chainspec.why);
  const differences = compareChainspec(genesis.value, chainspec.value);
  if (differences.length === 0) return {};
  const script = exists(join(folder, 'scripts/check-chainspec.sh'))
    ? `run \`cd ${toShellWord(folder)} && scripts/check-chainspec.sh\`, which regenerates it`
    : 'regenerate it from genesis.json, as scripts/check-chainspec.sh of the generator does';
  const nodes = names.length > 0 ? listNames(names) : 'the nodes that read it';
  return {
    finding: {
      finding: 'chainspec_differs',
      severity: 'warning',
      subnet,
      summary: 'chainspec.json does not match genesis.json, so nodes that start with it fork off from the others',
      evidence: `in ${folder}, ${differences.join('; ')}`,
      fix: `${script}, and recreate ${nodes}; if block 0 differs from that of the other nodes, first remove nethermind_db from the data folder`,
    },
  };
}

/** The report, with what the folders of the deployments say of the chain that their nodes begin with. */
export function withChainspecs(report: DoctorReport, snapshot: Snapshot, folder?: string): DoctorReport {
  const examined = snapshot.flatMap((state) => examine(state, folder) ?? []);
  const findings = examined.flatMap(({ finding }) => finding ?? []);
  const first = report.findings.findLastIndex(({ severity }) => severity !== 'info') + 1;
  return {
    findings: report.findings.toSpliced(first, 0, ...findings),
    unexamined: [...report.unexamined, ...examined.flatMap(({ unexamined }) => unexamined ?? [])],
    examined: report.examined + examined.filter(({ unexamined }) => unexamined === undefined).length,
  };
}
