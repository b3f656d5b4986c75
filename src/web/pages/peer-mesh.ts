import { html } from 'hono/html';
import { formatCount } from '../../lib/words.ts';
import { countPeers } from '../../model/facts.ts';
import { findContainer, START_MS } from '../../model/restart-cause.ts';
import type { Member, TargetState } from '../../model/snapshot.ts';
import type { Html } from '../frame/marks.ts';

/** Of more nodes than these, only who is out or lacks a link has a name, and only links that are cut are drawn. */
const MAX_DRAWN = 12;
/** As many names, and as many sentences, have room. */
const MAX_NAMED = 12;
const MAX_TOLD = 20;

/** Of more nodes than these, pairs are not compared: ten thousand have fifty million, and few are meant to be connected. */
const MAX_COMPARED = 100;

const WIDTH = 320;
const HEIGHT = 216;
const CENTRE = { x: WIDTH / 2, y: HEIGHT / 2 } as const;
const RADIUS = { x: 104, y: 76 } as const;

type LinkState = 'up' | 'gone' | 'cut' | 'unknown';

/** A pair of nodes, by their places in the list. */
interface Link {
  readonly from: number;
  readonly to: number;
  readonly state: LinkState;
}

/** Whether a node is out. One that gives no votes, or is on a branch, may well have its peers. */
const isOutOf = (members: readonly Member[], name: string): boolean =>
  members.some((member) => member.name === name && member.isOut === true);

/** Every pair of nodes, and what is known of its link: both sides may say that it stands. */
function findLinks(nodes: readonly TargetState[], members: readonly Member[]): readonly Link[] {
  const absent = members.filter(({ isOut }) => isOut).length;
  const known = nodes.map((state) => {
    const { container, node } = state.facts;
    const { at = 0, observation: { nodeId, peerIds } = {} } = node?.chain ?? {};
    return {
      nodeId,
      at,
      startedAt: findContainer(container)?.startedAt ?? 0,
      peers: peerIds && new Set(peerIds),
      out: isOutOf(members, state.target.name),
      // The count is newer than the list, and nobody is connected to a node that is out.
      isWhole:
        state.target.component === 'node' && (countPeers(state.facts) ?? 0) >= state.target.expectedPeers - absent,
    };
  });
  return known.flatMap((one, from) =>
    known.slice(from + 1).map((other, offset): Link => {
      const to = from + 1 + offset;
      if (one.out || other.out) return { from, to, state: 'gone' };
      const says = (a: typeof one, b: typeof one) => (b.nodeId === undefined ? undefined : a.peers?.has(b.nodeId));
      if (says(one, other) || says(other, one)) return { from, to, state: 'up' };
      // In the minute after a start nodes still find each other, and who has all peers is connected to the other one.
      const foundAt = Math.max(one.startedAt, other.startedAt) + START_MS;
      const denies = (a: typeof one, b: typeof one) => says(a, b) === false && a.at >= foundAt;
      const isDenied = denies(one, other) || denies(other, one);
      const whole = [one, other].filter(({ isWhole }) => isWhole);
      const isUp = !isDenied && absent === 0 && whole.some(({ peers }) => peers);
      return { from, to, state: isUp ? 'up' : isDenied && whole.length === 0 ? 'cut' : 'unknown' };
    }),
  );
}

const place = (index: number, total: number) => {
  const angle = (index / total) * 2 * Math.PI - Math.PI / 2 + (total === 4 ? Math.PI / 4 : 0);
  return { x: CENTRE.x + RADIUS.x * Math.cos(angle), y: CENTRE.y + RADIUS.y * Math.sin(angle) };
};

function drawLink({ from, to, state }: Link, total: number): Html {
  const [a, b] = [place(from, total), place(to, total)];
  const line = html`<line class="${state}" x1="${a.x.toFixed(1)}" y1="${a.y.toFixed(1)}" x2="${b.x.toFixed(1)}" y2="${b.y.toFixed(1)}"/>`;
  if (state !== 'cut') return line;
  const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
  return html`${line}<circle class="ground" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="9"/><path class="cross" d="M${(x - 4).toFixed(1)} ${(y - 4).toFixed(1)}l8 8m0-8l-8 8"/>`;
}

function drawNode(name: string, index: number, total: number, out: boolean): Html {
  const { x, y } = place(index, total);
  const standing = out ? 'bad' : 'ok';
  const below = y >= CENTRE.y;
  return html`<circle class="ground" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="13"/><svg class="${standing}" x="${(x - 11).toFixed(1)}" y="${(y - 11).toFixed(1)}" width="22" height="22" viewBox="0 0 16 16"><use href="#${standing}"/></svg><text text-anchor="middle" x="${x.toFixed(1)}" y="${(below ? y + 28 : y - 20).toFixed(1)}">${name}</text>`;
}

/** Many links that are cut: each is a thin line. */
function drawCuts(cut: readonly Link[], total: number): Html {
  const pointOf = (index: number) => {
    const { x, y } = place(index, total);
    return `${x.toFixed()} ${y.toFixed()}`;
  };
  return html`<path class="cut" d="${cut.map(({ from, to }) => `M${pointOf(from)}L${pointOf(to)}`).join('')}"/>`;
}

/** One of many nodes: a dot, with its name outside the ring if it has one. */
function drawDot(name: string | undefined, index: number, total: number, out: boolean): Html {
  const { x, y } = place(index, total);
  const side = (x - CENTRE.x) / RADIUS.x;
  const anchor = side > 0.3 ? 'start' : side < -0.3 ? 'end' : 'middle';
  const text =
    name === undefined
      ? ''
      : html`<text x="${(x + side * 12).toFixed(1)}" y="${(CENTRE.y + (y - CENTRE.y) * 1.2 + 4).toFixed(1)}" text-anchor="${anchor}">${name}</text>`;
  return html`<circle class="${out ? 'bad' : 'ok'}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${out ? 5 : 2.5}"/>${text}`;
}

/** The peer mesh of the nodes: which links stand, which are missing with a node that is out, and which are missing though both run. */
export function peerMesh(nodes: readonly TargetState[], members: readonly Member[]): Html {
  if (nodes.length < 2) return html`<p class="empty">A single node has no peer mesh.</p>`;
  if (nodes.length > MAX_COMPARED)
    return html`<p class="empty">The mesh of ${formatCount(nodes.length, 'node', 'nodes')} is too large to show. Nodes that lack peers are listed as problems.</p>`;
  const links = findLinks(nodes, members);
  const nameOf = (index: number): string => nodes[index]?.target.name ?? '';
  const cut = links.filter(({ state }) => state === 'cut');
  const up = links.filter(({ state }) => state === 'up').length;
  const isUnknown = links.every(({ state }) => state === 'unknown');
  // A socket that is named, or a node that was not asked about its chain since subnetd started, may still tell.
  const mayTell = ({ target, facts: { node } }: TargetState) =>
    (target.component === 'node' && target.ipc !== undefined) || node?.chain === undefined;
  const words = isUnknown
    ? `No node ${nodes.some(mayTell) ? 'has reported its peers yet' : 'reports its peers: serve the admin namespace over IPC to see the mesh'}.`
    : `${up} of ${links.length} links are confirmed.`;
  const missing = [
    ...cut
      .slice(0, MAX_TOLD)
      .map(
        ({ from, to }) =>
          `When last asked, ${nameOf(from)} and ${nameOf(to)} were not connected, though both are running.`,
      ),
    ...(cut.length > MAX_TOLD ? [`The same is true of ${cut.length - MAX_TOLD} more pairs.`] : []),
  ];
  const list =
    missing.length === 0 ? '' : html`<ul class="missing">${missing.map((one) => html`<li>${one}</li>`)}</ul>`;
  if (isUnknown) return html`<p class="empty">${words}</p>`;
  const isOut = nodes.map((_, index) => isOutOf(members, nameOf(index)));
  const isMany = nodes.length > MAX_DRAWN;
  const noted = new Set([
    ...cut.flatMap(({ from, to }) => [from, to]),
    ...isOut.keys().filter((index) => isOut[index]),
  ]);
  const nameOfDot = (index: number) => (noted.size <= MAX_NAMED && noted.has(index) ? nameOf(index) : undefined);
  return html`<svg class="mesh" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${[words, ...missing].join(' ')}">${
    isMany
      ? drawCuts(cut, nodes.length)
      : links.filter(({ state }) => state !== 'unknown').map((link) => drawLink(link, nodes.length))
  }${nodes.map((_, index) =>
    isMany
      ? drawDot(nameOfDot(index), index, nodes.length, isOut[index] === true)
      : drawNode(nameOf(index), index, nodes.length, isOut[index] === true),
  )}</svg><p class="hint">${words}</p>${list}`;
}
