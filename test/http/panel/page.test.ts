import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { secretKeys, settingKeys } from '../../../src/events/settings/settings.js';
import { languages } from '../../../src/messages/language.js';
import { startPanel } from '../kit/panel.js';

const scriptIn = (html: string): string => /<script nonce="[^"]+">([^]*)<\/script>/.exec(html)?.[1] ?? 'no script!';
const attribute = (html: string, name: string): string =>
  (new RegExp(`${name}="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

async function pages(lang: string) {
  const panel = await startPanel({ basePath: '/p/' });
  const headers = { 'accept-language': lang };
  const outside = await panel.browser().get('/classic', headers);
  const inside = (await (await panel.browser().login()).get('/classic', headers)).text;
  return { outside, inside };
}

describe('the classic page', () => {
  it('is not there without a session', async () => {
    const { outside } = await pages('en');
    expect(outside).toMatchObject({ status: 404, text: '' });
  });

  it('has a field for each setting after the login, and neither data nor a version', async () => {
    const { inside } = await pages('en');
    expect(inside).not.toContain('id="login"');
    const named = [...inside.matchAll(/ name="(\w+)" aria-describedby/g)].map(([, name = '']) => name).toSorted();
    const expected = [...settingKeys, ...secretKeys].filter((key) => !key.startsWith('twoFactor'));
    expect(named).toEqual(expected.toSorted());
    for (const key of secretKeys.filter((secret) => secret !== 'twoFactorToken'))
      expect(inside).toMatch(new RegExp(`<input type="password" data-secret [^>]*name="${key}"`));
    expect(inside).not.toMatch(/\d+\.\d+\.\d+/);
  });

  it('runs only its one script, which sets no markup', async () => {
    const { inside } = await pages('en');
    expect(inside.match(/<script/g)).toHaveLength(1);
    expect(inside).not.toMatch(/ on[a-z]+="|javascript:|innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
    expect(() => new Script(scriptIn(inside))).not.toThrow();
  });

  it.each(languages)('has exactly the texts of its script in %s', async (lang) => {
    const { inside } = await pages(lang);
    const words = JSON.parse(attribute(inside, 'data-words')) as Record<string, string>;
    const used = new Set([...scriptIn(inside).matchAll(/\bsay\.(\w+)/g)].map(([, name = '']) => name));
    expect(Object.keys(words).toSorted()).toEqual([...used].toSorted());
    expect(inside).toContain(`<option value="${lang}" selected>`);
  });
});
