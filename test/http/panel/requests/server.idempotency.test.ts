import { describe, expect, it } from 'vitest';
import { startPanel } from '../../kit/panel.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('Idempotency-Key', () => {
  const UPDATE = '/panel/api/setting/update';
  const start = async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const send = (key: string, body: object) => {
      const headers = { ...JSON_TYPE, authorization: 'Bearer secret-token', 'idempotency-key': key };
      return panel.call('POST', UPDATE, { headers, body: JSON.stringify(body) });
    };
    return { panel, send };
  };

  it('executes a request once', async () => {
    const { panel, send } = await start();
    const first = await send('k1', { subTitle: 'One' });
    expect(panel.appended()).toHaveLength(1);
    expect((await send('k1', { subTitle: 'One' })).json).toEqual(first.json);
    expect(panel.appended()).toEqual([]);
    await send('k2', { subTitle: 'Two' });
    await send('k1', { subTitle: 'One' });
    expect(panel.read.settings.current().subTitle).toBe('Two');
  });

  it('is bound to one request of one caller', async () => {
    const { panel, send } = await start();
    await send('k1', { subTitle: 'One' });
    const other = await send('k1', { subTitle: 'Two' });
    expect(other.json).toMatchObject({ success: false, msg: expect.stringContaining('Idempotency-Key') });
    const browser = await panel.browser().login();
    expect((await browser.post(UPDATE, { subTitle: 'Three' }, { 'idempotency-key': 'k1' })).json?.success).toBe(true);
    expect(panel.read.settings.current().subTitle).toBe('Three');
  });

  it('has a maximum length', async () => {
    const { send } = await start();
    expect(await send('x'.repeat(201), {})).toMatchObject({ status: 400, json: { success: false } });
  });
});
