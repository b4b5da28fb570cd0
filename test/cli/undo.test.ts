import { describe, expect, it } from 'vitest';
import { dataDirectory, prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { asSystem, createBus } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { panelState } from '../../src/commands/state.js';
import { operate } from '../../src/control/control.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { openJournal } from '../../src/store/journal.js';
import { draft, inboundDraft, one, userId } from '../kit/builders.js';
import { temporaryFolder } from '../kit/log.js';

/** The data directory of a stopped panel with a client that has counted bytes. */
function place() {
  const { root } = prepareDataDirectory(temporaryFolder());
  const open = () => {
    const { log } = openJournal(dataDirectory(root));
    const state = begin(panelState);
    catchUp(log, [state]);
    return { log, state };
  };
  const given = (...commands: readonly AnyCommand[]): void => {
    const { log, state } = open();
    const dispatch = createBus({ log, state, now: Date.now, ownPorts: () => [], closed: () => null });
    for (const command of commands) dispatch(command, asSystem('cli'));
    log.close();
  };
  const seen = () => {
    const { log, state } = open();
    const { position } = log.head();
    log.close();
    return { position, ...state.state };
  };
  given(
    { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } },
    { type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1)] } },
    { type: 'AdjustClientTraffic', data: { email: 'ann', up: 80, down: 5 } },
  );
  const undo = (position: number, dryRun = false) => operate(root, 'undo', { position, dryRun });
  return { given, seen, undo };
}

describe('portolan undo without a running panel', () => {
  it('brings a deleted client back with its counters', async () => {
    const { given, seen, undo } = place();
    given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'ann' } } });
    const { position } = seen();
    const preview = await undo(position, true);
    expect(preview).toMatchObject({ from: position, to: position, dryRun: true, reconnected: ['ann'], obstacles: [] });
    expect(seen().position).toBe(position);
    const done = await undo(position);
    expect(done).toMatchObject({
      dryRun: false,
      events: [{ type: 'CommandUndone' }, { type: 'ClientAdded' }, { type: 'ClientTrafficAdjusted' }],
    });
    const { clients, counters } = seen();
    const [ann] = clients.values();
    expect(ann?.identity.email).toBe('ann');
    expect(counters.clients.get(ann?.number ?? 0)).toStrictEqual({ up: 80, down: 5 });
    // The log is opened again for each of these.
    for (const dryRun of [true, false])
      await expect(undo(position, dryRun)).rejects.toThrow(`Position ${position} is already undone`);
    const undone = position + 1;
    await undo(undone);
    await undo(position);
    expect([...seen().clients.values()].map(({ identity }) => identity.email)).toStrictEqual(['ann']);
  });

  it('is refused with the reason', async () => {
    const { given, seen, undo } = place();
    given({ type: 'CreateUser', data: { username: 'second', passwordHash: 'hash' } });
    await expect(undo(seen().position)).rejects.toThrow('Nothing of this can be undone: accounts');
    await expect(undo(99)).rejects.toThrow(
      `Position 99 is not in the log, which has the positions 1 to ${seen().position}`,
    );
  });
});
