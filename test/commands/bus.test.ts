import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createBus } from '../../src/commands/bus.js';
import { panelState } from '../../src/commands/state.js';
import { begin } from '../../src/events/log/replay.js';
import { message, verbatim } from '../../src/messages/message.js';
import { admin, alice, inboundDraft, one, T0, userId } from '../kit/builders.js';
import { busOver, TestLog } from '../kit/log.js';

const correlationId = randomUUID();
const causationId = randomUUID();
const context = { actor: admin, correlationId };
const addInbound = { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ clients: [alice] }) } } as const;

describe('a command', () => {
  it('is appended as one batch, which observers receive before dispatch returns and the next decision sees', () => {
    const journal = new TestLog();
    const { dispatch, state } = busOver(journal.log, journal.clock);
    const batches: number[][] = [];
    const current: boolean[] = [];
    journal.log.appended$.subscribe((events) => {
      batches.push(events.map(({ position }) => position));
      current.push(state.inbounds.has(one)); // the write state folds first
    });
    const done = dispatch(addInbound, { ...context, causationId });
    expect(done).toMatchObject({ events: [{ position: 1 }, { position: 2 }] });
    expect([batches, current]).toStrictEqual([[[1, 2]], [true]]);
    expect(journal.all().map(({ meta }) => meta)).toStrictEqual(
      [1, 2].map(() => ({ at: T0, actor: admin, correlationId, causationId, commandId: null })),
    );
    expect(dispatch(addInbound, context)).toMatchObject({ code: 'PORT_TAKEN' });
  });

  it('appends nothing if it is rejected or has no effect', () => {
    const journal = new TestLog();
    const { dispatch, must } = busOver(journal.log);
    must(addInbound);
    const { position } = journal.log.head();
    const enable = { type: 'SetInboundEnabled', data: { inbound: one, enabled: true } } as const;
    expect(dispatch(enable, { ...context, commandId: { key: 'k', fingerprint: 'f' } })).toStrictEqual({ events: [] });
    expect(dispatch(addInbound, context)).toMatchObject({ code: 'PORT_TAKEN' });
    expect(journal.log.head().position).toBe(position);
  });

  it('is decided but not executed in a dry run', () => {
    const journal = new TestLog();
    const { dispatch, state } = busOver(journal.log);
    expect(dispatch(addInbound, { ...context, dryRun: true })).toStrictEqual({ events: [] });
    expect([journal.log.head().position, state.inbounds.size]).toStrictEqual([0, 0]);
    dispatch(addInbound, context);
    expect(dispatch(addInbound, { ...context, dryRun: true })).toMatchObject({ code: 'PORT_TAKEN' });
  });

  it('is decided with the current ports of the panel', () => {
    const journal = new TestLog();
    let port = 443;
    const dispatch = createBus({
      log: journal.log,
      state: begin(panelState),
      now: journal.clock.now,
      ownPorts: () => [{ port, listen: '', server: 'panel' }],
      closed: () => null,
    });
    expect(dispatch(addInbound, context)).toMatchObject({
      code: 'PORT_TAKEN',
      details: { by: message('inbound.panelServer') },
    });
    port = 444;
    expect(dispatch(addInbound, context)).toMatchObject({ events: [{ position: 1 }, { position: 2 }] });
  });

  it('cannot be dispatched while another one is being decided', () => {
    const journal = new TestLog();
    const { dispatch } = busOver(journal.log);
    const failures: unknown[] = [];
    const subscription = journal.log.appended$.subscribe(() => {
      try {
        dispatch({ type: 'RestartCore', data: {} }, context);
      } catch (error) {
        failures.push(error);
      }
    });
    dispatch(addInbound, context);
    expect(failures.map(String)).toStrictEqual([
      'Error: RestartCore was dispatched while another command was being decided',
    ]);
    subscription.unsubscribe();
    expect(dispatch({ type: 'RestartCore', data: {} }, context)).toMatchObject({ events: [{ position: 3 }] });
  });

  it('is rejected while the log is read-only, but a repeated command still gets its stored result', () => {
    const journal = new TestLog();
    const commandId = { key: 'k', fingerprint: 'f' };
    const first = busOver(journal.log).dispatch(addInbound, { ...context, commandId });
    const { dispatch } = busOver(journal.log, journal.clock, verbatim('events are missing'));
    expect(dispatch({ type: 'RestartCore', data: {} }, context)).toMatchObject({
      code: 'STORAGE_READ_ONLY',
      message: 'Nothing can be written: events are missing',
    });
    expect(dispatch(addInbound, { ...context, commandId })).toStrictEqual(first);
  });
});
