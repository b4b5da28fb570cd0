import { describe, expect, it } from 'vitest';
import type { PanelEvent, RecordedEvent } from '../../src/events/catalog.js';
import { ClientReactivated, ClientTrafficReset } from '../../src/events/client/client.js';
import { ClientsTrafficReset } from '../../src/events/client/many-clients.js';
import { joined, MANY_FROM, membersOf } from '../../src/events/client/members.js';
import type { Caused } from '../../src/events/log/event.js';
import { advance } from '../../src/events/log/replay.js';
import { startFolds } from '../../src/projections/foldings.js';
import { digestsOf } from '../../src/projections/read-models.js';
import { clientNumber, draft, inboundDraft, userId } from '../kit/builders.js';
import { busOver, TestLog } from '../kit/log.js';

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => clientNumber(from + i));
const resets = (clients: readonly ReturnType<typeof clientNumber>[]): Caused<PanelEvent>[] =>
  clients.map((client) => ClientTrafficReset({ client, up: client, down: 1 }));
const rows = (clients: readonly ReturnType<typeof clientNumber>[]) =>
  clients.map((client): [typeof client, number, number] => [client, client, 1]);

describe('events of a decision', () => {
  it('become one for each 256 numbers of clients', () => {
    const clients = numbers(250, 20);
    expect(joined(resets(clients))).toStrictEqual([
      ...resets(clients.slice(0, 6)),
      ClientsTrafficReset({ clients: rows(clients.slice(6)) }),
    ]);
  });

  it('stay as they are if they are few', () => {
    const few = resets(numbers(1, MANY_FROM - 1));
    expect(joined(few)).toStrictEqual(few);
  });

  it('keep their causes, which may be one for many', () => {
    const clients = numbers(1, MANY_FROM);
    const [first = clientNumber(1), second = clientNumber(2)] = clients;
    const effects = [
      { ...ClientReactivated({ client: first }), cause: 0 },
      { ...ClientReactivated({ client: second }), cause: 1 },
    ];
    expect(joined([...resets(clients), ...effects])).toStrictEqual([
      ClientsTrafficReset({ clients: rows(clients) }),
      { ...ClientReactivated({ client: first }), cause: 0 },
      { ...ClientReactivated({ client: second }), cause: 0 },
    ]);
  });

  it('are joined only if they have the same cause', () => {
    const clients = numbers(1, 2 * MANY_FROM);
    const caused = resets(clients).map((event, i) => ({ ...event, cause: i < MANY_FROM ? 0 : 1 }));
    const causes = [ClientReactivated({ client: clientNumber(90) }), ClientReactivated({ client: clientNumber(91) })];
    expect(joined([...causes, ...caused])).toStrictEqual([
      ...causes,
      { ...ClientsTrafficReset({ clients: rows(clients.slice(0, MANY_FROM)) }), cause: 0 },
      { ...ClientsTrafficReset({ clients: rows(clients.slice(MANY_FROM)) }), cause: 1 },
    ]);
  });

  it('contain each client once', () => {
    const clients = numbers(1, MANY_FROM);
    expect(joined([...resets(clients), ...resets(clients)])).toStrictEqual([
      ClientsTrafficReset({ clients: rows(clients) }),
      ClientsTrafficReset({ clients: rows(clients) }),
    ]);
  });

  it('of other types are never joined', () => {
    const events = numbers(1, 20).map((client) => ClientReactivated({ client }));
    expect(joined(events)).toStrictEqual(events);
  });
});

/** A panel with 300 clients, of which a command concerns all. */
function panelOf300() {
  const journal = new TestLog();
  const bus = busOver(journal.log, journal.clock);
  const clients = numbers(1, 300).map((n) => draft(`client-${n}`, n));
  bus.must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ clients }) } });
  return { journal, ...bus };
}

/** The digests of all read models after the events. */
function digestsAfter(events: readonly RecordedEvent[]) {
  const models = startFolds();
  for (const folding of Object.values(models)) advance(folding, events);
  return digestsOf(models);
}

describe('an event about many clients', () => {
  it('has the effect of its members on all read models', () => {
    const { journal, must } = panelOf300();
    const clients = numbers(1, 290);
    must({
      type: 'ChangeClientTerms',
      data: { terms: clients.map((client) => ({ client, capBytes: 5, enabled: false })) },
    });
    must({ type: 'ResetClientsTraffic', data: { clients } });
    must({ type: 'DeleteClients', data: { clients } });
    const stored = journal.all();
    const types = stored.map(({ type }) => type).filter((type) => type.startsWith('Clients'));
    expect(types).toStrictEqual([
      ...['ClientsUpdated', 'ClientsUpdated', 'ClientsTrafficReset', 'ClientsTrafficReset'],
      ...['ClientsDeleted', 'ClientsDeleted'],
    ]);
    // The same history with an event for each client.
    const single = stored.flatMap(membersOf).map((event, i) => ({ ...event, position: i + 1 }));
    const { timeline: _, ...models } = digestsAfter(stored);
    const { timeline: __, ...expected } = digestsAfter(single);
    expect(models).toStrictEqual(expected);
  });

  it('is in the history of each of its clients, in its place', () => {
    const { journal, must } = panelOf300();
    must({ type: 'ResetClientsTraffic', data: { clients: numbers(1, 20) } });
    must({ type: 'DeleteClients', data: { clients: [clientNumber(3)] } });
    must({ type: 'ResetClientsTraffic', data: { clients: numbers(1, 20) } });
    const { log } = journal;
    const typesOf = (client: number) =>
      log.readStream(`client-${client}`, 0, 100).map(({ type, data }) => [type, (data as { client: number }).client]);
    expect(typesOf(2)).toStrictEqual([
      ['ClientAdded', 2],
      ['ClientTrafficReset', 2],
      ['ClientTrafficReset', 2],
    ]);
    expect(typesOf(3)).toStrictEqual([
      ['ClientAdded', 3],
      ['ClientTrafficReset', 3],
      ['ClientDeleted', 3],
    ]);
    expect(typesOf(21)).toStrictEqual([['ClientAdded', 21]]);
    expect(log.lastOf('client-3', ['ClientAdded', 'ClientTrafficReset'])).toMatchObject({
      type: 'ClientTrafficReset',
      data: { client: 3 },
      position: 302,
    });
    expect(log.lastOf('client-21', ['ClientTrafficReset'])).toBeNull();
    expect(
      [...log.search.earlier('client-3', 303, ['ClientAdded', 'ClientTrafficReset'])].map(({ type }) => type),
    ).toStrictEqual(['ClientTrafficReset', 'ClientAdded']);
    expect(log.search.ofStream('client-2', 304, 2)).toMatchObject({
      headers: [
        { type: 'ClientTrafficReset', stream: 'client-2', position: 302, isPart: true },
        { type: 'ClientAdded', position: 3 },
      ],
      next: 1,
    });
    expect(log.search.ofStream('client-2', 1000, 1)).toMatchObject({ headers: [{ position: 304 }], next: 304 });
    expect(log.readStream('client-2', 0, 1).map(({ position }) => position)).toStrictEqual([3]);
  });

  it('is read in parts where there are many of them', () => {
    const { journal, must } = panelOf300();
    const { log } = journal;
    must({ type: 'ResetClientsTraffic', data: { clients: numbers(1, 8) } });
    for (let n = 0; n < 50; n += 1) must({ type: 'ResetClientsTraffic', data: { clients: numbers(9, 8) } });
    const wanted = log.readStream('client-1', 0, 1000);
    expect(wanted.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientTrafficReset']);
    const found: number[] = [];
    let before = Number.MAX_SAFE_INTEGER;
    for (let parts = 0; before > 1; parts += 1) {
      const { headers, next } = log.search.ofStream('client-1', before, 10);
      found.push(...headers.map(({ position }) => position));
      expect(next).toBeLessThan(before);
      expect(parts).toBeLessThan(10);
      before = next;
    }
    expect(found).toStrictEqual(wanted.map(({ position }) => position).toReversed());
    expect([...log.search.earlier('client-1', 1000, ['ClientTrafficReset'])]).toHaveLength(1);
    expect(log.lastOf('client-1', ['ClientTrafficReset'])).toMatchObject({ position: found[0] });
  });

  it('is read in steps, with what is appended during them', () => {
    const { journal, must } = panelOf300();
    const { log } = journal;
    for (let n = 0; n < 50; n += 1) must({ type: 'ResetClientsTraffic', data: { clients: numbers(1, 8) } });
    const steps = log.streamSteps(['client-1', 'client-300']);
    let turns = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next(), turns += 1)
      if (turns === 2) must({ type: 'DeleteClients', data: { clients: [...numbers(1, 8), clientNumber(300)] } });
    expect(turns).toBeGreaterThan(2);
    expect(step.value.get('client-1')).toStrictEqual(log.readStream('client-1', 0, 1000));
    expect(step.value.get('client-1')?.at(-1)).toMatchObject({ type: 'ClientDeleted', data: { client: 1 } });
    expect(step.value.get('client-300')?.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientDeleted']);
  });
});
