import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fleet } from '../grafana/build/fleet.ts';
import { node } from '../grafana/build/node.ts';
import { self } from '../grafana/build/self.ts';
import { services } from '../grafana/build/services.ts';

/**
 * Writes Grafana's dashboards, whose links lead to `SUBNETD_PUBLIC_URL`. What is committed leads to where
 * docker-compose.yml publishes subnetd; a test compares.
 */
const COMPOSE = { subnetd: 'http://127.0.0.1:10545' };

const boards = { fleet, node, services, self };

/** Every dashboard as a file, by its path. */
export const toDashboards = (places = COMPOSE): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(boards).map(([name, build]) => [
      `grafana/dashboards/${name}.json`,
      `${JSON.stringify(build(places), null, 2)}\n`,
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const subnetd = process.env.SUBNETD_PUBLIC_URL?.replace(/\/+$/, '') || COMPOSE.subnetd;
  for (const [file, text] of Object.entries(toDashboards({ subnetd })))
    writeFileSync(new URL(`../${file}`, import.meta.url), text);
}
