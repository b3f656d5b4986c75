import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from './cli.ts';

/** An answer that went through. */
export interface PassedAnswer {
  /** Method and path without the query, as in `GET /portal/keys`. */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A load balancer that ends TLS, with a certificate that nobody trusts. Each request goes to the next replica. */
export interface Balancer {
  readonly url: string;
  /** The addresses of the replicas. */
  replicas: readonly string[];
  readonly answers: readonly PassedAnswer[];
  stop(): Promise<void>;
}

function makePair(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = temporaryFolder();
  const [key, cert] = [folder.path('key'), folder.path('cert')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const words = ['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=balancer', '-keyout', key, '-out', cert];
  execFileSync('openssl', words, { stdio: 'pipe' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  folder.remove();
  return pair;
}

const toRecord = (headers: IncomingMessage['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Starts a balancer on 127.0.0.1 that has no replica yet. It passes each answer on once it is whole. */
export async function startBalancer(): Promise<Balancer> {
  const answers: PassedAnswer[] = [];
  let passed = 0;
  const pass = async (request: IncomingMessage): Promise<{ answer: IncomingMessage; body: Buffer }> => {
    const target = balancer.replicas[passed % balancer.replicas.length];
    passed += 1;
    // What is recorded is read, so it must not be compressed.
    const headers = { ...request.headers, 'accept-encoding': 'identity', 'x-forwarded-proto': 'https' };
    const sent = await buffer(request);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sendRequest(`${target}${request.url}`, { method: request.method, headers }, resolve)
        .on('error', reject)
        .end(sent);
    });
    return { answer, body: await buffer(answer) };
  };
  const server = createServer(makePair(), (request, response) => {
    pass(request).then(
      ({ answer: { statusCode: status = 0, headers }, body }) => {
        const [path] = (request.url ?? '').split('?');
        answers.push({ request: `${request.method} ${path}`, status, headers: toRecord(headers), body: String(body) });
        response.writeHead(status, headers).end(body);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const balancer: Balancer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replicas: [],
    answers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return balancer;
}
