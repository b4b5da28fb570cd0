import { describe, expect, it } from 'vitest';
import { one, uuid } from '../../../kit/builders.js';
import { startSelling } from '../../kit/reseller.js';

/** An own client of the reseller, and one of the owner; in which inbound, and with which subscription ID. */
async function start() {
  const { panel, owner, seller, wire, add } = await startSelling(['foreign-a', 'foreign-b'], ['mine']);
  const subIdOf = (number: number): string =>
    [...panel.services.read.clients.all()].find((client) => client.number === number)?.identity.subId ?? '';
  const change = (over: object) =>
    seller.post(`/panel/api/inbounds/updateClient/${uuid(3)}`, {
      id: one,
      settings: JSON.stringify({ clients: [{ ...wire('mine', 3), ...over }] }),
    });
  panel.appended();
  const changes = () => panel.appended().filter(({ type }) => type !== 'CommandRefused');
  return { panel, owner, seller, wire, add, change, subIdOf, changes };
}

describe('a reseller does not join a client of another admin', () => {
  it('by its subscription ID, with the same answer as for its email', async () => {
    const { seller, wire, add, change, subIdOf, changes } = await start();
    for (const foreign of [1, 2]) {
      const subId = subIdOf(foreign);
      expect(subId).not.toBe('');
      const answers = [
        await add(seller, one, [wire('new', 40, { subId })]),
        await add(seller, one, [wire('first', 41), wire('new', 40, { subId })]),
        // The email of a client elsewhere with its subscription ID would be the same person.
        await add(seller, one, [wire('new', 40, { email: foreign === 2 ? 'foreign-b' : 'new', subId })]),
        await change({ subId }),
        await change({ id: uuid(50), subId }),
        await change({ email: 'foreign-a' }),
      ];
      for (const { json, text } of answers) expect(json, text).toMatchObject({ code: 'EMAIL_UNAVAILABLE' });
      expect(changes()).toStrictEqual([]);
    }
  });

  it('and can use the subscription ID of an own client, or a new one', async () => {
    const { panel, seller, wire, add, change, subIdOf } = await start();
    expect((await add(seller, one, [wire('second', 42, { subId: subIdOf(3) })])).json).toMatchObject({ success: true });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['ClientAdded']);
    expect((await change({ subId: 'another-one' })).json).toMatchObject({ success: true });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['ClientIdentityChanged']);
  });

  it('and keeps a subscription ID that is shared already', async () => {
    const { panel, owner, wire, change, subIdOf } = await start();
    const settings = JSON.stringify({ clients: [{ ...wire('mine', 3), subId: subIdOf(1) }] });
    await owner.post(`/panel/api/inbounds/updateClient/${uuid(3)}`, { id: one, settings });
    panel.appended();
    const answer = await change({ subId: subIdOf(1), comment: 'another note' });
    expect(answer.json, answer.text).toMatchObject({ success: true });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['ClientIdentityChanged']);
  });

  it('while an owner may share it', async () => {
    const { owner, wire, add, subIdOf } = await start();
    const answer = await add(owner, one, [wire('new', 40, { subId: subIdOf(3) })]);
    expect(answer.json, answer.text).toMatchObject({ success: true });
  });
});
