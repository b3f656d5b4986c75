import type { ServiceTarget } from '../../model/target.ts';
import { type Judgement, pass, unknown } from '../../model/verdict.ts';
import { judgeFault } from './explain-fault.ts';
import type { View } from './view.ts';

const SERVICE_NAMES = { relayer: 'the relayer', stats: 'the stats server', frontend: 'the frontend' } as const;

/** Does the body of the service's answer show that it is healthy? */
export function judgeHttp({ target, facts }: View<ServiceTarget>): Judgement {
  const who = SERVICE_NAMES[target.component];
  if (facts.service === undefined) return unknown(`${who} has not been checked yet`);
  const { observation } = facts.service;
  if (!observation.ok) return judgeFault(`${who} is not well`, observation.fault, target);
  const { note } = observation.value;
  return pass(`${who} answers as it should${note === undefined ? '' : `, but says that ${note}`}`);
}
