import { expect, it } from 'vitest';
import { Rejection } from '../../../src/commands/rejection.js';
import { verifierIn } from '../../../src/http/panel/handlers/proof.js';

it('an installation without the verifier says so', async () => {
  const refused = await verifierIn(new URL('file:///not/built'));
  expect(refused).toBeInstanceOf(Rejection);
  expect((refused as Rejection).message).toMatch(
    /^This installation lacks the file "\/not\/built": build the panel with /,
  );
});
