import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, findProgram, until } from './engine.ts';

/**
 * Runs systemd as the first process of namespaces of its own, prints its id, and ends it when stdin ends. It sees the clone at `/opt/subnetd`, a copy of `/etc` that
 * it may change, and empty folders in memory where services keep their state; nothing of it is seen outside.
 */
const INIT = `set -eu
folder=$1
mkdir "$folder/clone" "$folder/control" "$folder/memory"
mount --bind "$2" "$folder/clone"
mount -t cgroup2 cgroup2 "$folder/control"
mount -t tmpfs tmpfs "$folder/memory"
mkdir "$folder/memory/upper" "$folder/memory/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$folder/memory/upper,workdir=$folder/memory/work" /etc
for each in /run /opt /var/lib /var/tmp; do mount -t tmpfs tmpfs "$each"; done
mkdir -p /run/systemd/system /etc/subnetd /opt/subnetd
cp -r "$folder/config/." /etc/subnetd
mount --bind "$folder/clone" /opt/subnetd
group=$folder/control/subnetd-$$
mkdir "$group"
sh -c 'echo $$ >"$1/cgroup.procs"
  exec unshare --cgroup --pid --fork --kill-child --mount --mount-proc sh -c "
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
    exec env -i PATH=\\"\\$PATH\\" container=test SYSTEMD_UNIT_PATH=$2/units /lib/systemd/systemd --system --unit=idle.target --show-status=no
"' sh "$group" "$folder" &
# Once there is such a group, systemd is the first in it.
until read -r pid <"$group/init.scope/cgroup.procs"; do sleep 0.1; done 2>/dev/null
echo "$pid"
cat
echo 1 >"$group/cgroup.kill"
wait $! 2>/dev/null || :
until find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; do sleep 0.1; done
`;

/** A unit that needs nothing, with which systemd starts. */
const IDLE = '[Unit]\nDefaultDependencies=no\nAllowIsolate=yes\n';

/** A systemd that belongs to the test that started it. */
export interface Systemd {
  readonly systemctl: (...words: readonly string[]) => Promise<string>;
  /** A property of the service. */
  readonly show: (property: string) => Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a real systemd that knows no other units than those in `files`, by their paths: `units/…` for it, and `config/…` for
 * `/etc/subnetd`. They are written to `folder`.
 */
export async function startSystemd(
  root: string,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<Systemd> {
  findProgram('systemctl', 'systemd');
  if (process.getuid?.() !== 0) throw new Error('these tests start systemd, which needs root');
  for (const [name, text] of Object.entries({ 'units/idle.target': IDLE, ...files })) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const child = spawn('unshare', ['--mount', 'sh', '-c', INIT, 'sh', folder, root], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stop = async () => {
    child.stdin.end();
    await until(async () => child.exitCode !== null, 'the end of systemd', 20_000).catch(() => endProcess(child));
  };
  const [pid] = await Promise.race([once(child.stdout, 'data'), once(child, 'close').then(() => [''])]);
  const run = promisify(execFile);
  const systemctl = async (...words: readonly string[]) => {
    const { stdout } = await run('nsenter', [
      '--mount',
      '--pid',
      `--target=${String(pid).trim()}`,
      'systemctl',
      '--no-pager',
      ...words,
    ]);
    return stdout.trim();
  };
  const answers = () =>
    systemctl('is-active', 'idle.target').then(
      (state) => state === 'active',
      () => false,
    );
  await until(answers, 'an answer of systemd', 30_000).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    systemctl,
    show: (property) => systemctl('show', '--value', `--property=${property}`, 'subnetd'),
    stop,
  };
}
