import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Gauge, Registry } from 'prom-client';
import { pathOf } from './measure.ts';

/** The series of a page, as gauges in a registry of prom-client. */
export function toRegistry(page: string): Registry {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  for (const line of page.split('\n')) {
    const [, name = '', labels = '', value] = /^(\w+)\{(.*)\} (.*)$/.exec(line) ?? [];
    if (value === undefined) continue;
    const pairs = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]));
    let gauge = gauges.get(name);
    if (gauge === undefined) {
      gauge = new Gauge({ name, help: name, labelNames: Object.keys(pairs), registers: [registry] });
      gauges.set(name, gauge);
    }
    gauge.set(pairs, Number(value));
  }
  return registry;
}

/** A child process that serves the series of the page on stdin, packed, by prom-client: `node bench/prom-client.ts PORT`. */
if (process.argv[1] === pathOf('./prom-client.ts')) {
  let page = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) page += chunk;
  process.on('disconnect', () => process.exit());
  const registry = toRegistry(page);
  page = '';
  const pack = promisify(gzip);
  createServer(async (_, response) => {
    const body = await pack(await registry.metrics(), { level: 1 });
    response.writeHead(200, { 'Content-Type': registry.contentType, 'Content-Encoding': 'gzip' }).end(body);
  }).listen(Number(process.argv[2]), '127.0.0.1');
}
