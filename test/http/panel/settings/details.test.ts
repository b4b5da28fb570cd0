import { describe, expect, it, onTestFinished } from 'vitest';
import { certificateStatus } from '../../../../src/adapters/tls/certificates.js';
import { secretKeys, settingKeys } from '../../../../src/events/settings/settings.js';
import { makeCertificate } from '../../../kit/real/certificate.js';
import { type Answer, startPanel } from '../../kit/panel.js';

const SOURCES = '/panel/api/setting/sources';
const SETUP = '/panel/api/setting/setup';

interface Sources {
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly secrets: Readonly<Record<string, boolean>>;
  readonly current: object;
  readonly next: object;
}

async function sourcesOf(browser: { get(path: string): Promise<Answer> }): Promise<Sources> {
  const { json } = await browser.get(SOURCES);
  expect(json).toMatchObject({ success: true });
  return (json as { obj: Sources }).obj;
}

describe('the sources of the settings', () => {
  it('name every setting and every secret, with default and limits', async () => {
    const panel = await startPanel({ settings: { pageSize: 50, ldapPassword: 'canary' } });
    const browser = await panel.browser().login();
    const obj = await sourcesOf(browser);
    const { settings, secrets } = obj;
    expect(Object.keys(settings)).toEqual(settingKeys);
    expect(Object.keys(secrets)).toEqual(secretKeys);
    expect(settings['pageSize']).toMatchObject({ source: 'log', value: 50, default: 25, min: 0, max: 10_000 });
    expect(settings['webPort']).toMatchObject({ source: 'default', value: 2053, min: 1, max: 65_535, atRestart: true });
    expect(settings['datepicker']).toMatchObject({ choices: ['gregorian', 'jalalian'], atRestart: false });
    expect(settings['subTitle']).toMatchObject({ maxLength: 200, choices: null, min: null });
    const forOwners = settingKeys.filter((key) => settings[key]?.['permission'] === 'secrets:update');
    expect(forOwners).toEqual(
      settingKeys.filter((key) => /^(ldap|twoFactor|apiToken|chatBot|trustedProxy|proof)/.test(key)),
    );
    expect(forOwners).toContain('twoFactorEnable');
    expect(secrets).toMatchObject({ ldapPassword: true, chatBotToken: false });
    expect(JSON.stringify(obj)).not.toContain('canary');
    expect(panel.appended()).toEqual([]);
  });

  it('tell a flag from the environment, and which value counts', async () => {
    const overrides = {
      webPort: { variable: '--port', value: 8443 },
      webBasePath: { variable: 'PORTOLAN_BASE_PATH', value: '/env' },
    };
    const panel = await startPanel({ settings: { webPort: 9999 }, parts: { overrides } });
    const { settings, current } = await sourcesOf(await panel.browser().login());
    expect(settings['webPort']).toMatchObject({ source: 'flag', variable: '--port', value: 8443 });
    expect(settings['webBasePath']).toMatchObject({ source: 'environment', variable: 'PORTOLAN_BASE_PATH' });
    expect(current).toEqual({ port: 8443, tls: false, basePath: '/env/', domain: '' });
  });

  it('name the changes that wait for a restart, and the address after it', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    await browser.post('/panel/setting/update', { webBasePath: '/quay', webPort: 4444, pageSize: 50 });
    const { settings, current, next } = await sourcesOf(browser);
    const pending = Object.entries(settings).filter(([, { pending: waits }]) => waits);
    expect(pending.map(([key]) => key)).toEqual(['webPort', 'webBasePath']);
    expect(current).toMatchObject({ port: 2053, basePath: '/' });
    expect(next).toMatchObject({ port: 4444, basePath: '/quay/' });
  });
});

describe('the first set-up', () => {
  it('names the steps that are done', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const steps = async () => (await browser.get(SETUP)).json?.obj;
    expect(await steps()).toEqual({ password: false, basePath: false, certificate: false, inbound: false });
    const old = { oldUsername: 'admin', oldPassword: 'correct horse' };
    await browser.post('/panel/setting/updateUser', { ...old, newUsername: 'admin', newPassword: 'staple battery' });
    await browser.post('/panel/setting/update', { webBasePath: '/quay' });
    expect(await steps()).toMatchObject({ password: true, basePath: true, inbound: false });
  });
});

describe('the check of certificate files', () => {
  it('shows names and times of a valid pair, and the problem of others', async () => {
    const panel = await startPanel({ parts: { certificateStatus } });
    const browser = await panel.browser().login();
    const { certFile, keyFile, remove } = await makeCertificate(['panel.example']);
    onTestFinished(remove);
    const check = async (body: object) => (await browser.post('/panel/api/setting/checkCertificate', body)).json?.obj;
    expect(await check({ certFile, keyFile })).toMatchObject({
      problem: null,
      problemCode: null,
      certificate: {
        names: ['panel.example', '127.0.0.1'],
        notAfter: expect.any(Number),
        notBefore: expect.any(Number),
      },
    });
    expect(await check({ certFile: `${certFile}.none`, keyFile })).toMatchObject({
      problem: 'The certificate file does not exist',
      problemCode: 'certificate.fileMissing',
      certificate: null,
    });
    expect(await check({ certFile: keyFile, keyFile: certFile })).toMatchObject({ certificate: null });
    expect(panel.appended()).toEqual([]);
  });
});

describe('the preview of the subscription page', () => {
  it('shows texts that are not saved, escaped, in the wanted language', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const preview = (query: Record<string, string>) =>
      browser.get(`/panel/api/setting/previewSubscriptionPage?${new URLSearchParams(query)}`);
    const { text, headers } = await preview({
      title: '<b>Quay</b>',
      announce: 'Closed on Monday',
      supportUrl: 'https://support.example/',
    });
    expect(text).toContain('&lt;b&gt;Quay&lt;/b&gt;');
    expect(text).toContain('Closed on Monday');
    expect(text).not.toMatch(/<script|href=/);
    expect((await preview({ lang: 'fa' })).text).toContain('dir="rtl"');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(panel.appended()).toEqual([]);
  });
});
