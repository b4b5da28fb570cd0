import { describe, expect, it } from 'vitest';
import type { PanelEvent, RecordedEvent } from '../../../src/events/catalog.js';
import { ClientDeleted, ClientUpdated } from '../../../src/events/client/client.js';
import { DirectorySynced } from '../../../src/events/directory.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import type { Text } from '../../../src/messages/message.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { directory } from '../../../src/projections/models/directory.js';
import { pushesOf } from '../../../src/projections/pushes.js';
import { alice, bob, clientAdded, first, one, rolledUp, second, T0 } from '../../kit/builders.js';
import { recorded } from '../../kit/spec.js';

const actors = {
  sync: { kind: 'system', id: 'directory', name: 'directory', ip: null },
  // A user may be called anything.
  user: { kind: 'user', id: '1', name: 'directory', ip: null },
} as const;

const enabled = (value: boolean) => ClientUpdated({ client: first, changes: { enabled: value } });

/** The state after events of these actors, equal to the one after a snapshot. */
function known(...events: readonly (readonly [keyof typeof actors, PanelEvent])[]) {
  const state = directory.initial();
  const all = recorded(events.map(([, event]) => event)).map((event, index) => {
    const actor = actors[events[index]?.[0] ?? 'user'];
    return { ...event, meta: { ...event.meta, actor } } as RecordedEvent;
  });
  for (const event of all) directory.apply(state, event);
  const saved = structuredClone(savedState(directory, state));
  expect(loadedState(directory, saved)).toEqual(state);
  return { made: [...state.made], disabled: [...state.disabled], last: state.last };
}

describe('the record of a directory sync', () => {
  it('contains the clients that it created, until they are deleted', () => {
    const made = [
      ['sync', clientAdded(alice, first)],
      ['user', clientAdded(bob, second)],
    ] as const;
    expect(known(...made).made).toEqual([first]);
    expect(known(...made, ['user', ClientDeleted({ client: first, inbound: one })]).made).toEqual([]);
  });

  it('contains the clients that it disabled', () => {
    expect(known(['sync', enabled(false)]).disabled).toEqual([first]);
    expect(known(['user', enabled(false)]).disabled).toEqual([]);
    expect(known(['sync', enabled(false)], ['sync', enabled(true)]).disabled).toEqual([]);
    expect(known(['sync', enabled(false)], ['user', enabled(true)]).disabled).toEqual([]);
    const other = ClientUpdated({ client: first, changes: { limitIp: 3 } });
    expect(known(['sync', enabled(false)], ['user', other]).disabled).toEqual([first]);
    expect(known(['sync', enabled(false)], ['user', ClientDeleted({ client: first, inbound: one })]).disabled).toEqual(
      [],
    );
  });

  it('contains the last outcome until that is rolled up', () => {
    const outcome = { added: 0, enabled: 0, disabled: 0, deleted: 0, rejected: 0, error: verbatim('Nobody is there') };
    const synced = ['sync', DirectorySynced(outcome)] as const;
    expect(known(synced).last).toEqual({ at: T0, outcome });
    expect(known(synced, ['sync', rolledUp(T0 - 1)]).last).toEqual({ at: T0, outcome });
    expect(known(synced, ['sync', rolledUp(T0)]).last).toBeNull();
  });
});

describe('a failed sync', () => {
  it('causes a notification in the browser', () => {
    const synced = (error: Text | null) =>
      DirectorySynced({ added: 1, enabled: 0, disabled: 0, deleted: 0, rejected: 0, error });
    expect(pushesOf(recorded([synced(null)]))).toEqual([]);
    expect(pushesOf(recorded([synced(message('directory.noAnswer'))]))).toEqual([
      {
        type: 'notification',
        title: message('notifications.directorySyncFailed'),
        body: message('directory.noAnswer'),
        severity: 'warning',
      },
    ]);
  });
});
