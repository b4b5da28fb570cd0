import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACTIONS } from '../../src/lib/permissions.js';
import { languages } from '../../src/messages/language.js';

it.each(languages)('the form of roles names every resource and action in %s', (language) => {
  const file = new URL(`../../web/src/screens/access/texts/${language}.json`, import.meta.url);
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const needed = Object.entries(ACTIONS).flatMap(([resource, actions]) => [
    `resource.${resource}`,
    ...actions.map((action) => `action.${action}`),
  ]);
  expect([...new Set(needed)].filter((key) => !texts[key])).toStrictEqual([]);
});
