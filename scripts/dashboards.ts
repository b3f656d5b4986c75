import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fleet } from '../grafana/build/fleet.ts';
import { node } from '../grafana/build/node.ts';
import { self } from '../grafana/build/self.ts';
import { services } from '../grafana/build/services.ts';
import { COMPOSE_LINKS } from '../src/tell/alerts/to-links.ts';

/**
 * Writes Grafana's dashboards, whose links lead to where docker-compose.yml publishes subnetd; a test compares.
 * `subnetd dashboards` prints them for other addresses.
 */
const boards = { fleet, node, services, self };

/** Every dashboard as a file, by its path. */
export const toDashboards = (places = { subnetd: COMPOSE_LINKS.publicUrl }): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(boards).map(([name, build]) => [
      `grafana/dashboards/${name}.json`,
      `${JSON.stringify(build(places), null, 2)}\n`,
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of Object.entries(toDashboards()))
    writeFileSync(new URL(`../${file}`, import.meta.url), text);
