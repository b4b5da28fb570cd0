import { describe, expect, it } from 'vitest';
import { defaultSettings, secretKeys, settingKeys } from '../../../../src/events/settings/settings.js';
import { plainNames, secretNames } from '../../../../src/http/panel/codec/setting-names.js';
import { startPanel } from '../../kit/panel.js';

const UPDATE = '/panel/setting/update';

/** Values of every other type, except those that a form may send for the type. */
const wrongFor = (like: unknown): readonly unknown[] => {
  const never = [null, {}, [[]], [null], [7], { a: 1 }];
  if (typeof like === 'number') return [...never, '', 'x', 'NaN', '1.5', 1.5, '0x10', '1e3', true, [], ['1']];
  if (typeof like === 'boolean') return [...never, 'yes', 'no', 'null', 0, 1, 2, -1, []];
  if (typeof like === 'string') return [...never, 7, 1.5, true, false, [], ['x']];
  return [...never, 7, true, 'x', [true]];
};

describe('a setting of the wrong type is rejected by its name, without any change:', () => {
  const names = [
    ...settingKeys.map((key) => [key, defaultSettings[key]] as const),
    ...Object.entries(plainNames).map(([name, key]) => [name, defaultSettings[key]] as const),
    ...[...secretKeys, ...Object.keys(secretNames)].map((key) => [key, ''] as const),
  ];

  it.each(names)('%s', async (name, like) => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    for (const value of wrongFor(like)) {
      const { status, json } = await browser.post(UPDATE, { [name]: value });
      expect([value, status, json]).toMatchObject([value, 200, { success: false }]);
      const { errors } = (json as { obj: unknown }).obj as { errors: { key: string; why: string }[] };
      expect([value, errors.map(({ key }) => key)]).toEqual([value, [name]]);
      expect(errors[0]?.why).not.toMatch(/null|undefined|received|Invalid input/);
      expect(panel.appended()).toEqual([]);
    }
  });

  it('a text that is too long or not an allowed value, with a readable message', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    for (const [name, like] of names) {
      if (typeof like !== 'string') continue;
      const { json } = await browser.post(UPDATE, { [name]: 'x '.repeat(40_000) });
      expect([name, json]).toMatchObject([name, { success: false }]);
      expect(JSON.stringify(json)).not.toMatch(/Invalid|Too (big|small)|expected/);
    }
    expect(panel.appended()).toEqual([]);
  });

  it('the API token, which is not a setting', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    expect((await browser.post(UPDATE, { apiToken: null })).json).toMatchObject({ success: false });
  });
});
