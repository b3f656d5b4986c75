import { it } from 'vitest';
import { expectGreenDemo } from '../support/green-demo.ts';

it('the demo is all green for a minute', () => expectGreenDemo(60), 270_000);
