import { absentees, type Effects, type Fate, producesBlocks, quorum } from './effects.ts';
import { asGeneratedIn, type DemoParts } from './expected-changes.ts';

const PROBLEM_OF_FATE: Readonly<Record<Fate, string>> = {
  stopped: 'container_down',
  'ipc-path-too-long': 'ipc_path_too_long',
  killed: 'container_restarting',
  'read-only': 'disk_unwritable',
  'out-of-memory': 'out_of_memory',
};

/** What is wrong with a node beside its container and connections: its first cause explains the rest. */
const problemOfNode = (effects: Effects, name: string): string | undefined => {
  const causes: readonly (readonly [string, readonly string[]])[] = [
    ['other_chain', effects.foreign],
    ['node_partitioned', effects.isolated],
    ['too_many_open_files', effects.outOfFiles],
    ['node_stalled', effects.frozen],
    ['height_not_credible', effects.boasting],
    ['node_behind', effects.behind],
    ['masternode_penalised', effects.penalised],
    ['node_not_voting', effects.mute],
    ['node_down', [...effects.garbled, ...effects.limited]],
    ['rpc_closed', effects.rpcMoved],
    ['node_without_block', effects.uncommitted],
  ];
  const [problem] = causes.find(([, names]) => names.includes(name)) ?? [];
  return problem;
};

/** What the votes that are missing bring: a halt, or a subnet in which no further node may fail. */
const problemOfQuorum = (effects: Effects, nodes: readonly string[]): readonly string[] => {
  if (!producesBlocks(effects, nodes)) return ['subnet_halted'];
  const absent = absentees(effects);
  const masternodes = nodes.filter((name) => !effects.penalised.includes(name));
  const voters = masternodes.filter((name) => !absent.has(name));
  // One that is penalised takes the spare vote too.
  const isShort = voters.length < nodes.length && quorum(nodes.length) < nodes.length;
  return isShort && voters.length === quorum(masternodes.length) ? ['quorum_at_risk'] : [];
};

/** What masternodes that the next set is without bring: ten minutes before the chain chooses it. */
const problemOfNextSet = (effects: Effects, nodes: readonly string[]): readonly string[] => {
  const { penalised, resigned } = effects;
  const leaves = (name: string) => resigned.includes(name) && !penalised.includes(name);
  return producesBlocks(effects, nodes) && nodes.some(leaves) ? ['next_epoch_at_risk'] : [];
};

/** Those that miss some turns and are seen to take part. */
const seenLagging = (effects: Effects, nodes: readonly string[]): readonly string[] => {
  const out = new Set([...absentees(effects), ...effects.penalised]);
  return producesBlocks(effects, nodes) ? effects.lagging.filter((name) => nodes.includes(name) && !out.has(name)) : [];
};

/** What nodes that run with another key bring: two with one key are the cause of the key that nobody has. */
const problemsOfKeys = ({ keys }: Effects, nodes: readonly string[]): readonly string[] => {
  const used = Object.values(keys);
  if (used.length === 0) return [];
  return [used.some((name) => nodes.includes(name)) ? 'key_shared' : 'masternode_missing'];
};

/** A pool of Nethermind shows no vote, and one that is stopped or apart signs nothing. */
const showsDoubleVotes = (effects: Effects, parts: DemoParts): boolean => {
  const absent = absentees(effects);
  return (
    effects.doubleVoters.some((name) => parts.nodes.includes(name) && !absent.has(name)) &&
    parts.nodes.some((name) => asGeneratedIn(parts)(name) && !absent.has(name))
  );
};

/** What nodes that are killed together bring: those that are down already are not. */
const problemsOfCrash = ({ allKilled }: Effects, running: readonly string[]): readonly string[] => {
  if (!allKilled) return [];
  return running.length > 1 ? ['containers_crashed'] : running.map((name) => `container_restarting ${name}`);
};

/** Those whose clock is seen to be wrong: they print the blocks that they get. */
const seenSkewed = (effects: Effects, parts: DemoParts): readonly string[] => {
  const { nodes } = parts;
  const asGenerated = asGeneratedIn(parts);
  const { skewed, down, frozen, foreign, isolated, logLevelLow } = effects;
  const mute = new Set([...down, ...frozen, ...foreign, ...isolated]);
  if (!producesBlocks(effects, nodes)) return [];
  const prints = (name: string) => !mute.has(name) && !(logLevelLow && asGenerated(name));
  return nodes.filter((name) => skewed.includes(name) && prints(name));
};

/** What the parent chain itself shows: the first of these hides what the relayer says of its submissions. */
const problemOfParent = ({ parentDown, parentHalted, contractGone, contractRefuses }: Effects): string | undefined => {
  if (parentDown) return 'parent_unreachable relayer';
  if (parentHalted) return 'parent_behind relayer';
  if (contractGone) return 'contract_missing relayer';
  return contractRefuses ? 'checkpoint_refused relayer' : undefined;
};

const problemsOfRelayer = (effects: Effects, nodes: readonly string[]): readonly string[] => {
  const { relayer, checkpointLost, finalityStalled, walletLow, packetsWait } = effects;
  const ofParent = problemOfParent(effects);
  const isStopped = relayer !== undefined && ['dead', 'silent', 'low-gas-price', 'forking'].includes(relayer);
  const submits = relayer === undefined && ofParent === undefined && producesBlocks(effects, nodes) && !finalityStalled;
  return [
    ...(relayer === 'dead' ? ['relayer_dead relayer'] : []),
    ...(ofParent ? [ofParent] : isStopped ? ['relayer_stopped relayer'] : []),
    ...(relayer === 'no-funds' ? ['wallet_without_funds relayer'] : []),
    ...(checkpointLost && submits ? ['checkpoint_behind relayer'] : []),
    ...(packetsWait && submits ? ['packets_stuck relayer'] : []),
    // Without a payment nobody knows how long the wallet lasts.
    ...(walletLow && submits ? ['wallet_low relayer'] : []),
  ];
};

const problemsOfServices = (effects: Effects, { nodes, browser }: DemoParts): readonly string[] => {
  const { closed, fates, relayer, statsStale, frontendError, consoleError } = effects;
  const lost = closed.filter(
    (service) => fates[service] === undefined && !(service === 'relayer' && relayer === 'dead'),
  );
  const unseen = !closed.includes('frontend') && (frontendError || (consoleError && browser));
  return [
    ...lost.map((service) => `service_down ${service}`),
    ...problemsOfRelayer(effects, nodes),
    ...(statsStale && !closed.includes('stats') ? ['stats_stale stats'] : []),
    ...(unseen ? ['frontend_errors frontend'] : []),
  ];
};

/** The problems, each with the name of what has it, that these effects are the causes of, and no consequence of another. */
export const problemsOf = (effects: Effects, parts: DemoParts): readonly string[] => {
  const { nodes } = parts;
  if (effects.unreachable) return ['monitor_offline'];
  if (effects.misaddressed) return ['never_reached'];
  const { down, isolated, cut, fates, unheard, unreadable } = effects;
  const gone = new Set([...down, ...isolated]);
  // One of the two names both.
  const holes = cut.filter(([one, other]) => !gone.has(one) && !gone.has(other)).map(([one]) => one);
  const running = nodes.filter((name) => !down.includes(name));
  // A fork explains that its minority does not vote.
  const isForked = running.some((name) => effects.forked.includes(name));
  return [
    ...(isForked ? ['chain_forked'] : problemOfQuorum(effects, nodes)),
    ...problemOfNextSet(effects, nodes),
    ...(effects.finalityStalled ? ['finality_stalled'] : []),
    ...(effects.clockStepped ? ['monitor_suspended'] : []),
    ...(isForked || !producesBlocks(effects, nodes) ? [] : problemsOfKeys(effects, nodes)),
    ...(showsDoubleVotes(effects, parts) ? ['double_vote'] : []),
    ...Object.entries(fates).map(([name, fate]) => `${PROBLEM_OF_FATE[fate]} ${name}`),
    ...running.flatMap((name) => {
      const problem = problemOfNode(effects, name);
      return problem === undefined ? [] : [`${problem} ${name}`];
    }),
    ...seenLagging(effects, nodes).map((name) => `node_lags ${name}`),
    ...seenSkewed(effects, parts).map((name) => `node_clock_skewed ${name}`),
    ...[...new Set(holes)].sort().map((name) => `peers_missing ${name}`),
    ...((effects.adminHidden || effects.logLevelLow) && running.some(asGeneratedIn(parts)) ? ['check_degraded'] : []),
    // The log of a container that does not run has been read to its end.
    ...unreadable.filter((name) => fates[name] === undefined).map((name) => `log_source_down ${name}`),
    ...effects.killed.filter((name) => !down.includes(name)).map((name) => `container_restarting ${name}`),
    ...problemsOfCrash(effects, running),
    ...Object.keys(effects.projects).map((name) => `container_misnamed ${name}`),
    ...(effects.unlisted ? ['containers_unlisted'] : []),
    ...(unheard.some((name) => !down.includes(name)) ? ['bootnode_misses_node bootnode'] : []),
    ...problemsOfServices(effects, parts),
  ];
};
