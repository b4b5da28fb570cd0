import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type RejectionCode, reject } from '../../src/commands/rejection.js';
import type { PanelEvent, RecordedEvent } from '../../src/events/catalog.js';
import { CertificateRejected } from '../../src/events/certificate.js';
import { CoreFailed, CoreStarted, InboundRejectedByCore } from '../../src/events/core.js';
import { InboundId } from '../../src/events/ids.js';
import { PanelRestartFailed } from '../../src/events/panel.js';
import { Alarms } from '../../src/lib/alarms.js';
import { message, verbatim } from '../../src/messages/message.js';
import { logNotifications } from '../../src/projections/notification-log.js';
import { storageWatch } from '../../src/store/storage-watch.js';
import { recorded } from '../kit/spec.js';

function listening() {
  const changed$ = new Subject<readonly RecordedEvent[]>();
  const alarms = new Alarms();
  const lines: string[] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  logNotifications({ read: { changed$ }, alarms }, { info: line('info'), warn: line('warn'), error: line('error') });
  return { alarms, lines, happens: (...events: PanelEvent[]) => changed$.next(recorded(events)) };
}

describe('the log of the panel', () => {
  it('contains the warnings that browsers receive, and nothing else', () => {
    const { lines, happens } = listening();
    const files = { certFile: '/c.pem', keyFile: '/k.pem' };
    happens(
      CoreStarted({ run: 'r', version: '26.7', reason: 'start' }),
      CoreFailed({ run: 'r', reason: verbatim('The core was killed') }),
      CertificateRejected({ server: 'panel', ...files, reason: verbatim('it has expired') }),
      PanelRestartFailed({ server: 'panel', reason: verbatim('no such port') }),
      InboundRejectedByCore({ inbound: InboundId.parse(3), reason: verbatim('no such file') }),
    );
    expect(lines).toEqual([
      'error The core failed {"why":"The core was killed"}',
      'error A certificate cannot be used {"why":"/c.pem: it has expired"}',
      'error The panel could not restart and keeps running as before {"why":"no such port"}',
      'error The core rejects an inbound {"why":"Inbound 3: no such file"}',
    ]);
  });
});

describe('a disk error', () => {
  it('is logged once per kind, and the recovery is logged too', () => {
    const { alarms, lines } = listening();
    const watch = storageWatch(alarms);
    const answers = (next: ReturnType<typeof reject> | { events: readonly RecordedEvent[] }): void => {
      expect(watch(next)).toBe(next);
    };
    const written = { events: recorded([CoreFailed({ run: null, reason: verbatim('x') })]) };
    answers(written);
    answers(reject('STORAGE_FULL'));
    answers(reject('STORAGE_FULL'));
    answers({ events: [] });
    answers(reject('CORE_NOT_RUNNING'));
    answers(reject('STORAGE_READ_ONLY', { why: message('common.diskReadOnly') }));
    answers(reject('STORAGE_FULL'));
    expect(lines.splice(0)).toEqual([
      'error Nothing can be saved {"why":"The disk is full: nothing was changed"}',
      'error Nothing can be saved {"why":"Nothing can be written: the file system is read-only"}',
    ]);
    answers(written);
    answers(written);
    expect(lines.splice(0)).toEqual(['info Changes are saved again {"why":"The data directory can be written to."}']);
    answers(reject('STORAGE_FULL'));
    expect(lines).toHaveLength(1);
  });

  it.each<RejectionCode>(['STORAGE_BUSY', 'STORAGE_FAILED'])('is logged for %s too', (code) => {
    const { alarms, lines } = listening();
    const rejection = code === 'STORAGE_BUSY' ? reject(code) : reject('STORAGE_FAILED', { why: verbatim('an error') });
    storageWatch(alarms)(rejection);
    expect(lines).toEqual([`error Nothing can be saved ${JSON.stringify({ why: rejection.message })}`]);
  });
});
