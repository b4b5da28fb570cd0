import { describe, expect, it, onTestFinished } from 'vitest';
import { emailKey } from '../../src/events/client/client-document.js';
import { CursorLost } from '../../src/events/log/log-tail.js';
import { LogLossAccepted } from '../../src/events/panel.js';
import { MeasurementsRolledUp } from '../../src/events/traffic/traffic.js';
import { FollowedModels } from '../../src/projections/subscription/followed-models.js';
import { openTail } from '../../src/store/tail.js';
import { bob, clientAdded, first, inboundAdded, one, second, T0, traffic } from '../kit/builders.js';
import { openParts, TestLog } from '../kit/log.js';

/** A log with one client, and models that follow it on a connection of their own. */
function followed() {
  const writer = new TestLog();
  writer.append(inboundAdded(), clientAdded());
  const { tail, snapshots } = openTail(writer.directory);
  onTestFinished(() => tail.close());
  const models = new FollowedModels(tail, snapshots);
  return { writer, tail, models };
}

describe('followed models', () => {
  it('contain what was appended before, and what was appended since when they catch up', () => {
    const { writer, models } = followed();
    expect(models.clients.bySubId('sub-alice').map(({ number }) => number)).toStrictEqual([first]);
    expect(models.position).toBe(writer.log.head().position);
    writer.append(clientAdded(bob, second), traffic({ clients: [[first, 3, 4, T0]] }));
    expect(models.clients.bySubId('sub-bob')).toStrictEqual([]);
    models.catchUp();
    expect(models.clients.bySubId('sub-bob').map(({ number }) => number)).toStrictEqual([second]);
    const [client] = models.clients.bySubId('sub-alice');
    expect(client && models.usage.client(client)).toStrictEqual({ up: 3, down: 4 });
    expect(models.inbounds.get(one)?.tag).toBe(models.inbounds.all()[0]?.tag);
    expect(models.position).toBe(writer.log.head().position);
  });

  it('announce each batch after they have applied it', () => {
    const { writer, models } = followed();
    const seen: unknown[] = [];
    models.changed$.subscribe((events) =>
      seen.push(...events.map(({ type }) => [type, models.clients.bySubId('sub-bob').length])),
    );
    writer.append(clientAdded(bob, second));
    models.catchUp();
    models.catchUp();
    expect(seen).toStrictEqual([['ClientAdded', 1]]);
  });

  it('read sealed fields of keys that were created after they were opened', () => {
    const { writer, models } = followed();
    writer.append(clientAdded(bob, second));
    models.catchUp();
    const [client] = models.clients.bySubId('sub-bob');
    expect(client && emailKey(client.identity.email)).toBe(emailKey(bob.identity.email));
  });

  it('do not read again while nothing was written', () => {
    const { tail } = followed();
    expect(tail.moved()).toBe(false);
    expect(tail.moved()).toBe(false);
  });

  it('continue in pages when much was appended', () => {
    const { writer, models } = followed();
    for (let n = 0; n < 30; n += 1)
      writer.append(...Array.from({ length: 100 }, () => traffic({ clients: [[first, 1, 0, T0]] })));
    models.catchUp();
    const [client] = models.clients.bySubId('sub-alice');
    expect(client && models.usage.client(client).up).toBe(3000);
  });

  it('refuse a log of another generation', () => {
    const { writer, models } = followed();
    const data = { expectedPosition: 5, foundPosition: 3, previousGeneration: writer.log.generation };
    writer.append(LogLossAccepted(data));
    expect(() => models.catchUp()).toThrow(CursorLost);
  });

  it('refuse a changed event and a broken chain', () => {
    const { writer, models } = followed();
    const { db } = openParts(writer.directory.root);
    writer.append(clientAdded(bob, second));
    db.exec('DROP TRIGGER events_fixed');
    db.exec("UPDATE events SET payload = CAST('{}' AS BLOB) WHERE type = 'ClientAdded'");
    expect(() => models.catchUp()).toThrow(CursorLost);
  });

  /** Sums of measurements that the models have counted already, at least in part. */
  const rollUp = (writer: TestLog, from: number, to: number, up: number) => {
    const { root, count } = writer.log.measuredRoot(from, to);
    const sum = traffic({ clients: [[first, up, 0, T0]] }).data;
    writer.append(
      MeasurementsRolledUp({
        ...{ fromPosition: from, toPosition: to, firstAt: T0, lastAt: T0, digest: root, prunedCount: count },
        ...{ sums: [{ position: to, sum }], nodeSums: [] },
      }),
    );
  };
  const measured = () => traffic({ clients: [[first, 1, 0, T0]] });

  it('follow a roll-up of measurements that they have counted', () => {
    const { writer, models } = followed();
    writer.append(measured(), measured());
    models.catchUp();
    rollUp(writer, 3, 4, 2);
    models.catchUp();
    writer.append(measured());
    models.catchUp();
    const [client] = models.clients.bySubId('sub-alice');
    expect(client && models.usage.client(client).up).toBe(3);
  });

  it('refuse a roll-up of measurements that they have counted in part, and are right when they start again', () => {
    const { writer, models } = followed();
    writer.append(measured());
    models.catchUp();
    writer.append(measured());
    rollUp(writer, 3, 4, 2);
    expect(() => models.catchUp()).toThrow(CursorLost);
    const { tail, snapshots } = openTail(writer.directory);
    onTestFinished(() => tail.close());
    const again = new FollowedModels(tail, snapshots);
    const [client] = again.clients.bySubId('sub-alice');
    expect(client && again.usage.client(client).up).toBe(2);
  });
});
