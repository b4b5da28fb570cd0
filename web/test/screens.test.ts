import { expect, it } from 'vitest';
import { screens } from '../src/screens/registry';

it('each screen has a key of its own', () => {
  const keys = screens.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  // It is the first key of each shortcut.
  expect(keys).not.toContain('g');
});
