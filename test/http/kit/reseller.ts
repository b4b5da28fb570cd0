import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import { draft, inboundDraft, one, two, userId } from '../../kit/builders.js';
import { startPanel } from './panel.js';

export const SELLER = { username: 'seller', password: 'long enough' };

/** Inbounds 1 and 2, of which the reseller has the first. The owner's clients are `foreign-…`. */
export async function startSelling(foreign: readonly string[], own: readonly string[], quotas = NO_QUOTAS) {
  const panel = await startPanel();
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  const access = { role: 'reseller', inbounds: [one], quotas };
  const data = { username: SELLER.username, passwordHash: `plain ${SELLER.password}`, access };
  panel.given({ type: 'CreateUser', data });
  const owner = await panel.browser().login();
  const seller = await panel.browser().login(SELLER);
  const wire = (email: string, n: number, over: object = {}) => {
    const { credential, identity } = draft(email, n);
    return { id: credential.id, email, subId: identity.subId, comment: `note of ${email}`, enable: true, ...over };
  };
  const add = (browser: typeof owner, inbound: number, clients: readonly object[]) =>
    browser.post('/panel/api/inbounds/addClient', { id: inbound, settings: JSON.stringify({ clients }) });
  let n = 0;
  for (const [index, email] of foreign.entries()) {
    n += 1;
    await add(owner, index % 2 === 0 ? one : two, [wire(email, n)]);
    panel.given({ type: 'AdjustClientTraffic', data: { email, up: 1000, down: 2000 } });
  }
  for (const email of own) await add(seller, one, [wire(email, (n += 1))]);
  return { panel, owner, seller, wire, add };
}
