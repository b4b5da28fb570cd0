import { describe, expect, it } from 'vitest';
import { codeAt, TOKEN as FACTOR } from '../../../kit/totp.js';
import { startPanel } from '../../kit/panel.js';

const TOKEN = 'T'.repeat(48);

const start = async () => {
  const panel = await startPanel({ settings: { ldapPassword: 'secret' } });
  panel.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const send = async (path: string, body: object = {}) =>
    (await panel.call('POST', path, { headers, body: JSON.stringify(body) })).json;
  return { panel, send, update: (body: object) => send('/panel/api/setting/update', body) };
};

describe('settings by the API token', () => {
  it.each([
    ['a directory that accepts every login', { ldapEnable: true, ldapHost: '127.0.0.1', ldapPort: 24389 }, 'ldapHost'],
    ['a proposal of two-factor login', { twoFactorEnable: true }, 'twoFactorEnable'],
    ['two-factor login', { twoFactorEnable: true, twoFactorToken: FACTOR }, 'twoFactorToken'],
    ['a certificate beside it', { trustedProxyCIDRs: '10.0.0.0/8', webCertFile: '/no', webKeyFile: '/no' }, 'trusted'],
  ])('are rejected by name before anything is stored: %s', async (_, body, key) => {
    const { panel, update } = await start();
    const twoFactorCode = codeAt(FACTOR, Date.now());
    const answer = await update({ ...body, twoFactorCode, pageSize: 50 });
    expect(answer?.success).toBe(false);
    expect(answer?.msg).toContain('it cannot be changed with the API token: log in to the panel to change it');
    expect(answer?.msg).toContain(`Setting ${key}`);
    expect(panel.appended()).toEqual([]);
  });

  it('accept an echo of all settings with one change', async () => {
    const { panel, send, update } = await start();
    const all = (await send('/panel/api/setting/all'))?.obj as object;
    expect(await update({ ...all, pageSize: 50 })).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'SettingsChanged', data: { changes: { pageSize: 50 } } }]);
  });
});
