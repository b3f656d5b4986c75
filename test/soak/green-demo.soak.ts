import { it } from 'vitest';
import { expectGreenDemo } from '../support/green-demo.ts';

it('the demo is all green for ten minutes', () => expectGreenDemo(600), 700_000);
