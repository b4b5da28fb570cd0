import { expect, it, vi } from 'vitest';
import type * as Installation from '../../../src/lib/installation.js';
import { startPanel } from '../kit/panel.js';

vi.mock('../../../src/lib/installation.js', async (original) => {
  const real = await original<typeof Installation>();
  const installedFile = (path: string): URL => real.installedFile(path === 'dist/verify-log.mjs' ? 'not/built' : path);
  return { ...real, installedFile };
});

it('an installation without the verifier says so', async () => {
  const panel = await startPanel();
  const browser = panel.browser();
  await browser.login();
  const { status, json } = await browser.get('/panel/api/proof/verify-log.mjs');
  expect([status, json?.success]).toEqual([503, false]);
  expect(json?.msg).toMatch(/^This installation lacks the file ".*\/not\/built": build the panel with /);
});
