import { describe, expect, it } from 'vitest';
import { type Rejection, reject } from '../../../../src/commands/rejection.js';
import { inboundDraft, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const KEY = { 'idempotency-key': 'once' };
const API = '/panel/api/inbounds';
const UNCONFIRMED = { success: false, code: 'CHANGE_UNCONFIRMED' };
const CLIENT = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a11', email: 'ann', subId: 'sub-1', enable: true };

/** The leader of a cluster that confirms nothing until `confirms()`. */
async function unconfirmedPanel() {
  let refused: Rejection | null = reject('CHANGE_UNCONFIRMED', { span: 10_000 });
  const panel = await startPanel({ parts: { confirmed: async () => refused } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  refused = null;
  const browser = await panel.browser().login();
  refused = reject('CHANGE_UNCONFIRMED', { span: 10_000 });
  return { panel, browser, confirms: () => void (refused = null) };
}

describe('a change that the cluster has not confirmed', () => {
  it('is not confirmed by a repetition with the same key either', async () => {
    const { panel, browser, confirms } = await unconfirmedPanel();
    const body = { id: 1, settings: JSON.stringify({ clients: [CLIENT] }) };
    const add = () => browser.post(`${API}/addClient`, body, KEY);
    expect((await add()).json).toMatchObject(UNCONFIRMED);
    const { position } = panel.log.head();
    for (let n = 0; n < 2; n += 1) expect((await add()).json).toMatchObject(UNCONFIRMED);
    confirms();
    expect((await add()).json).toMatchObject({ success: true });
    expect(panel.log.head().position).toBe(position);
  });

  it('is not confirmed by a request that finds nothing to change', async () => {
    const { panel, browser, confirms } = await unconfirmedPanel();
    const disable = () => browser.post(`${API}/setEnable/1`, { enable: false });
    expect((await disable()).json).toMatchObject(UNCONFIRMED);
    const { position } = panel.log.head();
    expect((await disable()).json).toMatchObject(UNCONFIRMED);
    confirms();
    expect((await disable()).json).toMatchObject({ success: true });
    expect(panel.log.head().position).toBe(position);
  });

  it('does not stop reads and dry runs', async () => {
    const { browser } = await unconfirmedPanel();
    expect((await browser.post('/panel/setting/all', {})).json).toMatchObject({ success: true });
    expect((await browser.get(`${API}/list`)).json).toMatchObject({ success: true });
    const preview = await browser.post(`${API}/setEnable/1?dryRun=true`, { enable: false });
    expect(preview.json).toMatchObject({ success: true });
  });
});
