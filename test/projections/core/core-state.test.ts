import { describe, expect, it } from 'vitest';
import { StateImported } from '../../../src/events/backup.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { ClientReactivated } from '../../../src/events/client/client.js';
import { ClientIpsSeen } from '../../../src/events/client/client-ips.js';
import {
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  CoreTemplateChanged,
  InboundAcceptedByCore,
  InboundRejectedByCore,
} from '../../../src/events/core.js';
import { InboundDeleted } from '../../../src/events/inbound/inbound.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { verbatim } from '../../../src/messages/message.js';
import { coreOf, coreState } from '../../../src/projections/core/core-state.js';
import { settings } from '../../../src/projections/models/settings.js';
import { timeline } from '../../../src/projections/timeline.js';
import { clientAdded, first, one, T0, traffic } from '../../kit/builders.js';
import { at, folded } from '../../kit/spec.js';

const core = (...events: readonly PanelEvent[]) => coreOf(folded(coreState, ...events), null);

const later = T0 + 1000;

describe('the state of the core', () => {
  const started = (run: string, time = T0) => at(time, CoreStarted({ run, version: '26', reason: 'start' }));
  const stopped = { state: 'stop', run: null, version: '', since: 0, error: null, wanted: true };

  it('follows the last event', () => {
    expect(core().process).toStrictEqual(stopped);
    const running = { ...stopped, state: 'running', run: 'r1', version: '26', since: T0 };
    expect(core(started('r1')).process).toStrictEqual(running);
    expect(core(started('r1'), started('r1', later)).process).toStrictEqual(running); // adopted
    expect(core(started('r1'), started('r2', later)).process).toStrictEqual({
      ...running,
      run: 'r2',
      since: later,
    });
    const imported = StateImported({ source: 'portolan', sha256: 'a'.repeat(64), origin: null, keptSettings: [] });
    // It ran on another machine, or before: that it does not now is no failure.
    expect(core(started('r1'), imported).process).toStrictEqual({ ...stopped, version: '26' });
    expect(core(started('r1'), CoreStopped({ run: 'r1', reason: 'request' })).process).toStrictEqual({
      ...stopped,
      version: '26',
    });
    const failed = { ...stopped, state: 'error', version: '26', error: verbatim('killed') };
    expect(core(started('r1'), CoreFailed({ run: 'r1', reason: verbatim('killed') })).process).toStrictEqual(failed);
    expect(
      core(started('r1'), CoreFailed({ run: 'r1', reason: verbatim('killed') }), started('r1')).process.error,
    ).toBeNull();
  });

  it('should be running until an admin stops it', () => {
    expect(core(CoreStopRequested({})).process.wanted).toBe(false);
    expect(core(CoreStopRequested({}), CoreRestartRequested({})).process.wanted).toBe(true);
  });

  it('includes rejected inbounds until they are accepted or deleted', () => {
    const refused = InboundRejectedByCore({ inbound: one, reason: verbatim('no') });
    expect([...core(refused).refused]).toStrictEqual([[1, verbatim('no')]]);
    expect(core(refused, InboundAcceptedByCore({ inbound: one })).refused.size).toBe(0);
    expect(core(refused, InboundDeleted({ inbound: one })).refused.size).toBe(0);
  });
});

describe('settings', () => {
  it('are the defaults with the recorded changes', () => {
    const state = folded(
      settings,
      SettingsChanged({ changes: { webPort: 1 } }),
      SettingsChanged({ changes: { subTitle: 'x' } }),
    );
    expect(state.values).toMatchObject({ webPort: 1, subTitle: 'x', subPort: 10882 });
    expect(folded(settings).template).toBeNull();
    const template = CoreTemplateChanged({ keyVersion: 1, template: { a: 1 }, outboundTestUrl: 'u' });
    expect(folded(settings, template).template).toStrictEqual({ template: { a: 1 }, outboundTestUrl: 'u' });
  });

  it('from an older snapshot have the defaults of newer keys', () => {
    expect(loadedState(settings, { values: { webPort: 1 }, template: null }).values).toMatchObject({
      webPort: 1,
      subPort: 10882,
    });
  });
});

describe('the timeline', () => {
  it('contains events without their data, and no measurements', () => {
    const [entry, ...others] = folded(
      timeline,
      clientAdded(),
      traffic({ clients: [[1, 1, 1]] }),
      ClientIpsSeen({ client: first, ips: [] }),
    );
    expect(others).toStrictEqual([]);
    expect(entry).toStrictEqual({
      position: 1,
      at: T0,
      type: 'ClientAdded',
      stream: 'client-1',
      actor: { kind: 'system', id: 'test' },
      correlationId: 'given',
    });
  });

  it('keeps the newest two thousand entries', () => {
    const state = folded(timeline, ...Array.from({ length: 4500 }, () => ClientReactivated({ client: first })));
    expect(state.length).toBeLessThan(4000);
    const saved = savedState(timeline, state) as typeof state;
    expect([saved.length, saved[0]?.position, saved.at(-1)?.position]).toStrictEqual([2000, 2501, 4500]);
    expect(savedState(timeline, loadedState(timeline, saved))).toStrictEqual(saved);
  });
});
