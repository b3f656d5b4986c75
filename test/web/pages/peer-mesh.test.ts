import { expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Member } from '../../../src/model/snapshot.ts';
import { peerMesh } from '../../../src/web/pages/peer-mesh.ts';
import { diagnosedNode, type Given, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

/** The mesh of so many nodes, of which the first two are not connected. */
function meshOf(count: number): string {
  const names = Array.from({ length: count }, (_, place) => `n${place}`);
  const nodes = names.map((name, place) =>
    diagnosedNode(name, names, { peers: names.filter((_, other) => other !== place && place + other !== 1) }),
  );
  return String(peerMesh(judgeTargets(nodes, NOW), []));
}

test('a mesh is drawn of few nodes, and of more the links that are cut, with the names of their nodes', () => {
  const few = meshOf(12);
  expect([few.match(/<line /g)?.length, few.match(/<text /g)?.length]).toEqual([66, 12]);
  const more = meshOf(100);
  expect(more).not.toContain('<line');
  expect(more).toMatch(/<path class="cut" d="M160 32L167 32"\/>/);
  expect([...more.matchAll(/<text [^>]*>(\w+)/g)].map(([, name]) => name)).toEqual(['n0', 'n1']);
  expect(more.match(/<circle class="ok"/g)).toHaveLength(100);
  expect(more).toContain('4949 of 4950 links are confirmed.');
  expect(more).toContain('<li>When last asked, n0 and n1 were not connected, though both are running.</li>');
  expect(more.length).toBeLessThan(10_000);
});

test('a pair is cut by lists from a minute after the starts of both nodes, and only while both lack peers', () => {
  const names = ['n0', 'n1', 'n2'];
  const cut = (n0: Given, n1: Given) => {
    const nodes = names.map((name, place) => diagnosedNode(name, names, [n0, n1][place]));
    return /not connected/.test(String(peerMesh(judgeTargets(nodes, NOW), [])));
  };
  // The lists are 30 s old.
  const [n0, n1] = [{ peers: ['n2'] }, { peers: ['n2'], container: { startedAt: NOW - 90_000 } }];
  expect(cut(n0, n1)).toBe(true);
  expect(cut(n0, { ...n1, container: { startedAt: NOW - 89_999 } })).toBe(false);
  // Its count is newer than its list.
  const hasAll = { peers: ['n2', 'n9'] };
  expect([cut(hasAll, n1), cut(n0, hasAll)]).toEqual([false, false]);
  // So many peers are all that it can have while another node is out.
  const oneOut = names.map((name, place) => diagnosedNode(name, names, [n0, n1][place]));
  const member = { name: 'n2', isOut: true } as Member;
  expect(String(peerMesh(judgeTargets(oneOut, NOW), [member]))).not.toContain('not connected');
});

test('only a node that is out loses its links, not one that gives no votes', () => {
  const nodes = judgeTargets(
    ['n0', 'n1', 'n2'].map((name, _, names) => diagnosedNode(name, names)),
    NOW,
  );
  const meshWith = (member: Partial<Member>) => String(peerMesh(nodes, [{ name: 'n1', ...member } as Member]));
  expect(meshWith({ vote: 'silent' })).toContain('3 of 3 links are confirmed.');
  expect(meshWith({ vote: 'silent' })).not.toMatch(/class="(?:bad|gone)"/);
  expect(meshWith({ vote: 'silent', isOut: true })).toContain('1 of 3 links are confirmed.');
});

test('a link of a node that counts all of its peers stands, though their lists are from before its start or lack its id', () => {
  const names = ['n0', 'n1', 'n2'];
  const meshWith = (n1: Given, members: readonly Member[] = []) => {
    const others = { chain: { peerIds: ['id-n0', 'id-n2'] } };
    const nodes = names.map((name) => diagnosedNode(name, names, name === 'n1' ? n1 : others));
    return /\d of 3 links are confirmed/.exec(String(peerMesh(judgeTargets(nodes, NOW), members)))?.[0];
  };
  const all = '3 of 3 links are confirmed';
  const unread = { nodeId: undefined, peerIds: undefined } as never;
  expect(meshWith({ container: { startedAt: NOW - 80_000 }, chain: { peerIds: [] } })).toBe(all);
  expect(meshWith({ chain: unread })).toBe(all);
  // With one that is out, nobody knows which one it lacks.
  const n9 = { name: 'n9', isOut: true } as Member;
  expect(meshWith({ chain: unread }, [n9])).toBe('1 of 3 links are confirmed');
});

test('before nodes were asked, or have told their peers over the sockets that are named, nobody is asked to serve them there', () => {
  const said = (ipc: object, node: object = {}) => {
    const nodes = ['n0', 'n1'].map((name) => {
      const { target, facts } = diagnosedNode(name, ['n0', 'n1'], { chain: { peerIds: undefined as never } });
      return { target: { ...target, ...ipc }, facts: { ...facts, node: { ...facts.node, ...node } } } as KnownTarget;
    });
    return String(peerMesh(judgeTargets(nodes, NOW), []));
  };
  expect(said({})).toContain('>No node reports its peers: serve the admin namespace over IPC to see the mesh.<');
  expect(said({ ipc: '/n/XDC.ipc' })).toContain('>No node has reported its peers yet.<');
  expect(said({}, { chain: undefined })).toContain('>No node has reported its peers yet.<');
});

test('no pairs are compared of hundreds of nodes, as they would be millions', () => {
  expect(meshOf(101)).toBe(
    '<p class="empty">The mesh of 101 nodes is too large to show. Nodes that lack peers are listed as problems.</p>',
  );
});
