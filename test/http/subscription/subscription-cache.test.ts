import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import type { Client } from '../../../src/events/client/client-document.js';
import { defaultSettings } from '../../../src/events/settings/settings.js';
import { SubscriptionCache } from '../../../src/http/subscription/subscription-cache.js';
import type { SubscriptionModels } from '../../../src/projections/subscription/models.js';
import { T0 } from '../../kit/builders.js';
import { aClient, inboundOf } from '../../projections/subscription/fixtures.js';

/** A cache over models that a test changes, with the number of texts that were rendered. */
function cached(client: Client, settings = defaultSettings) {
  const changed$ = new Subject<readonly RecordedEvent[]>();
  const state = { clients: [client], settings, counter: { up: 1, down: 2 }, now: T0, rendered: 0 };
  const inbound = inboundOf('vless', null);
  const read: SubscriptionModels = {
    settings: { current: () => state.settings },
    clients: { bySubId: () => state.clients, count: 1 },
    inbounds: { get: () => inbound, all: () => [inbound] },
    usage: { client: () => state.counter, lastOnline: () => 0 },
    nodes: { get: () => undefined },
    records: { members: () => new Map() },
    changed$,
  };
  const cache = new SubscriptionCache(read, () => state.now);
  const get = (key = 'links') =>
    cache.get('text', 's1', key, () => {
      state.rendered += 1;
      return { headers: ['Content-Type', 'text/plain'], ownHeaders: [], body: 'text' };
    });
  const usage = () => {
    const headers = get()?.plain().headers ?? [];
    return headers[headers.indexOf('Subscription-Userinfo') + 1];
  };
  const tell = (event: object): void => changed$.next([event as RecordedEvent]);
  return { state, get, usage, tell };
}

describe('a cached subscription', () => {
  it('is rendered once, whatever its traffic is and however much time passes', () => {
    const { state, usage } = cached(aClient());
    expect(usage()).toBe('upload=1; download=2; total=0; expire=0');
    state.counter = { up: 30, down: 40 };
    state.now += 86_400_000;
    expect(usage()).toBe('upload=30; download=40; total=0; expire=0');
    expect(state.rendered).toBe(1);
  });

  it('has another tag after traffic', () => {
    const { state, get } = cached(aClient());
    const before = get()?.etag;
    expect(get()?.etag).toBe(before);
    state.counter = { up: 3, down: 2 };
    expect(get()?.etag).not.toBe(before);
  });

  it('is rendered again when the remaining traffic or time in its name changes', () => {
    const { state, get } = cached(aClient({ spec: { capBytes: 1024 ** 3, expiresAt: T0 + 3_600_000 } }));
    get();
    state.counter = { up: 2, down: 2 };
    get();
    expect(state.rendered).toBe(1); // still 1.00GB
    state.counter = { up: 2, down: 512 * 1024 ** 2 };
    get();
    expect(state.rendered).toBe(2);
    state.now += 60_000;
    get();
    expect(state.rendered).toBe(3);
    state.settings = { ...state.settings, subShowInfo: false };
    get();
    state.now += 60_000;
    get();
    expect(state.rendered).toBe(4);
  });

  it('is rendered again after a change of a client, of the settings, of an inbound or of a node', () => {
    const { state, get, tell } = cached(aClient());
    get();
    state.clients = [aClient({ identity: { email: 'bert' } })];
    get();
    state.clients = [...state.clients, aClient()];
    get();
    state.settings = { ...state.settings, remarkModel: '-i' };
    get();
    tell({ type: 'InboundUpdated', data: { inbound: 2 } });
    get();
    tell({ type: 'NodeUpdated', data: { node: 1 } });
    get();
    expect(state.rendered).toBe(6);
    tell({ type: 'NodeTrafficRecorded', data: { node: 1 } });
    get();
    expect(state.rendered).toBe(6);
  });

  it('does not remain after its client was deleted', () => {
    const { state, get, tell } = cached(aClient());
    get();
    tell({ type: 'ClientDeleted', data: { client: 1 } });
    get();
    expect(state.rendered).toBe(2);
  });

  it('keeps a few forms only, because callers choose the host', () => {
    const { state, get } = cached(aClient());
    for (let host = 0; host < 20; host += 1) get(`links ${host}`);
    get('links 19');
    expect(state.rendered).toBe(20);
    get('links 0');
    expect(state.rendered).toBe(21);
  });

  it('is null for a client that may not connect', () => {
    const { state, get } = cached(aClient({ spec: { enabled: false } }));
    expect(get()).toBeNull();
    expect(state.rendered).toBe(0);
  });
});
