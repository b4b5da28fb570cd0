import {
  type Arbitrary,
  array,
  asyncProperty,
  boolean,
  assert as check,
  constantFrom,
  integer,
  record,
  string,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settingKeys } from '../../../../src/events/settings/settings.js';
import { startPanel } from '../../kit/panel.js';

const UPDATE = '/panel/setting/update';

/** Settings of every kind, with values that a form could spoil. */
const someSettings = (dialect: string): Arbitrary<Record<string, unknown>> =>
  record(
    {
      webPort: integer({ min: 1, max: 2000 }),
      subPort: integer({ min: 2001, max: 65_535 }),
      pageSize: integer({ min: 0, max: 10_000 }),
      chatBotEnable: boolean(),
      chatBotCpu: integer({ min: 0, max: 100 }),
      restartCoreOnClientDisable: boolean(),
      subTitle: string({ maxLength: 50, unit: 'grapheme' }).map((text) => text.replace(/\p{Cc}/gu, '')),
      subAnnounce: string({ maxLength: 50, unit: 'binary' }).map((text) => text.replace(/\p{Cs}/gu, '')),
      subPath: constantFrom('a', '/a/', '/a/b', '~x'),
      trustedProxyCIDRs: array(constantFrom('10.0.0.0/8', '127.0.0.1', '::1/128', '2001:db8::/32'), { maxLength: 4 }),
      externalTrafficInformURI: constantFrom('', 'https://x.example/a?b=c&d=%20', 'http://[2001:db8::1]:8080/'),
      subJsonNoises: constantFrom('', '[{"a": "b&c=d+e"}]'),
      ldapUserFilter: constantFrom('(objectClass=*)', '(&(a=b)(c=\\2a))'),
      ldapPassword: constantFrom('', 'a', ' b '),
      wgprov: constantFrom('', '{"a":1}'),
      apiDialect: constantFrom(dialect),
    },
    { requiredKeys: ['apiDialect'] },
  );

describe.each(['spec', '3x-ui'])('the settings as read, sent back in the dialect %s', (dialect) => {
  it('change nothing: as JSON, as a form, as a form with repeated fields', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const form = (fields: [string, string][]) => {
      const headers = {
        ...{ cookie: browser.cookie, 'x-csrf-token': browser.token },
        'content-type': 'application/x-www-form-urlencoded',
      };
      return panel.call('POST', UPDATE, { headers, body: new URLSearchParams(fields).toString() });
    };
    await check(
      asyncProperty(someSettings(dialect), async (changes) => {
        panel.given({ type: 'ChangeSettings', data: { changes } });
        const all = (await browser.post('/panel/setting/all')).json?.obj as Record<string, unknown>;
        expect(Object.keys(all)).toEqual(expect.arrayContaining([...settingKeys]));
        const position = panel.log.head().position;
        const plain = Object.entries(all).map(([key, value]): [string, string] => [key, String(value)]);
        const repeated = Object.entries(all).flatMap(([key, value]) =>
          [value].flat().map((item): [string, string] => [key, String(item)]),
        );
        const answers = [await browser.post(UPDATE, all), await form(plain), await form(repeated)];
        for (const { json } of answers)
          expect(json).toEqual({
            ...{ success: true, msg: 'The parameters have been changed.', obj: null },
            code: 'settings.saved',
          });
        expect(panel.log.head().position).toBe(position);
      }),
      { numRuns: 40 },
    );
    // The histories did change something.
    expect(panel.log.head().position).toBeGreaterThan(20);
  });

  it('change one setting with one change under either name', async () => {
    const panel = await startPanel({ settings: { apiDialect: dialect, chatBotCpu: 80 } });
    const browser = await panel.browser().login();
    for (const [name, cpu] of [
      ['tgCpu', 70],
      ['chatBotCpu', 60],
    ] as const) {
      const all = (await browser.post('/panel/setting/all')).json?.obj as object;
      expect((await browser.post(UPDATE, { ...all, [name]: cpu })).json?.success).toBe(true);
      expect(panel.appended()).toMatchObject([{ type: 'SettingsChanged', data: { changes: { chatBotCpu: cpu } } }]);
    }
  });
});
