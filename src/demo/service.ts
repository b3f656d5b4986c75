import type { RequestListener } from 'node:http';
import type { Effects } from './effects.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** The part of a request that a service uses. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A service of the subnet: from a request, the current subnet and what is broken to an answer. */
export type Service = (request: ServiceRequest, subnet: SimulatedSubnet, effects: Effects) => ServiceAnswer;

export const json = (value: unknown, status = 200): ServiceAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

export const html = (body: string, status = 200): ServiceAnswer => ({ status, type: 'text/html; charset=utf-8', body });

/** Serves a service over HTTP. Request bodies are not read, because no service uses one. */
export const createServiceHandler =
  (service: Service, subnet: SimulatedSubnet, effects: () => Effects): RequestListener =>
  (request, response) => {
    request.resume();
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const { status, type, body } = service({ method: request.method ?? 'GET', path }, subnet, effects());
    response.writeHead(status, { 'content-type': type }).end(body);
  };
