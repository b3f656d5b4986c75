import { expect, test } from 'vitest';
import { peerMesh } from '../../../src/web/pages/peer-mesh.ts';
import { diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

/** The mesh of so many nodes, of which the first two are not connected. */
function meshOf(count: number): string {
  const names = Array.from({ length: count }, (_, place) => `n${place}`);
  const nodes = names.map((name, place) =>
    diagnosedNode(name, names, { peers: names.filter((_, other) => other !== place && place + other !== 1) }),
  );
  return String(peerMesh(judgeTargets(nodes, NOW), []));
}

test('a mesh is drawn of few nodes, and of more it is said which pairs are missing', () => {
  expect(meshOf(12)).toContain('<svg class="mesh"');
  const more = meshOf(100);
  expect(more).not.toContain('<svg');
  expect(more).toContain('<p>4949 of 4950 links are confirmed.</p>');
  expect(more).toContain('<li>n0 and n1 are not connected, though both are running.</li>');
});

test('no pairs are compared of hundreds of nodes, as they would be millions', () => {
  expect(meshOf(101)).toBe(
    '<p class="empty">The mesh of 101 nodes is too large to show. Nodes that lack peers are listed as problems.</p>',
  );
});
