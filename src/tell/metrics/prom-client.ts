import { createRequire } from 'node:module';

type PromClient = typeof import('prom-client');

const require = createRequire(import.meta.url);

/** The parts of prom-client that are used. Its index also loads OpenTelemetry, a push client and more, 70 modules in all. */
export const Counter: PromClient['Counter'] = require('prom-client/lib/counter');
export const Gauge: PromClient['Gauge'] = require('prom-client/lib/gauge');
export const Histogram: PromClient['Histogram'] = require('prom-client/lib/histogram');
export const Registry: PromClient['Registry'] = require('prom-client/lib/registry');
