import { describe, expect, it } from 'vitest';
import { DAY, draft, first, inboundDraft, one, userId } from '../kit/builders.js';
import { commandLine } from '../kit/command-line.js';
import { busOver, TestLog } from '../kit/log.js';

/** A log with an inbound and a client, and the command line over it. */
function place() {
  const journal = new TestLog();
  const { must } = busOver(journal.log, journal.clock);
  must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  must({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1)] } });
  const portolan = (...args: readonly string[]) =>
    commandLine(args, { PORTOLAN_DATA_DIR: journal.directory.root, PORTOLAN_LANG: 'en' });
  const show = async (...args: readonly string[]) => {
    const { code, out, err } = await portolan('--json', 'show', ...args);
    expect([code, err]).toStrictEqual([0, '']);
    return JSON.parse(out) as { position: number; at: number; documents: { values: object; erased: string[] }[] };
  };
  return { journal, must, portolan, show, head: () => journal.log.head().position };
}

describe('portolan show', () => {
  it('prints the documents now and at an earlier position or time, without secrets', async () => {
    const { journal, must, portolan, show, head } = place();
    const [position, time] = [head(), journal.clock.now()];
    journal.clock.advance(1000);
    must({ type: 'ChangeClientTerms', data: { terms: [{ client: first, capBytes: 77 }] } });
    expect((await show('client')).documents).toMatchObject([{ name: 'ann', values: { email: 'ann', capBytes: 77 } }]);
    for (const at of [String(position), new Date(time).toISOString()]) {
      const { documents, ...moment } = await show('client', '--at', at);
      expect(moment).toStrictEqual({ position, at: time });
      expect(documents).toMatchObject([{ name: 'ann', values: { capBytes: 0 }, erased: [] }]);
    }
    const { code, out } = await portolan('show', 'inbound');
    expect([code, out]).toStrictEqual([0, expect.stringContaining('inbound 1 first\n  remark: "first"\n')]);
    expect(JSON.stringify(await show('client'))).not.toContain(draft('ann', 1).credential.password);
  });

  it('marks what was erased since', async () => {
    const { journal, must, show, head } = place();
    const position = head();
    must({ type: 'DeleteClients', data: { clients: [first] } });
    journal.clock.advance(31 * DAY);
    must({ type: 'EraseDeleted', data: {} });
    const { documents } = await show('client', '--at', String(position));
    expect(documents).toMatchObject([{ name: 'erased-1', erased: expect.arrayContaining(['email', 'credential']) }]);
    expect(documents[0]?.values).not.toHaveProperty('email');
    expect(documents[0]?.values).toHaveProperty('capBytes');
  });

  it('refuses another noun and another moment', async () => {
    const { portolan } = place();
    expect(await portolan('show', 'ship')).toMatchObject({ code: 2, err: expect.stringContaining('"ship"') });
    expect(await portolan('show', 'client', '--at', 'noon')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('"noon"') },
    });
  });
});
