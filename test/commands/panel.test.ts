import { describe, it } from 'vitest';
import { reject } from '../../src/commands/rejection.js';
import { CertificateExpiring, CertificateLoaded, CertificateRejected } from '../../src/events/certificate.js';
import { PanelRestarted, PanelRestartFailed, PanelRestartRequested } from '../../src/events/panel.js';
import { message } from '../../src/messages/message.js';
import { T0 } from '../kit/builders.js';
import { at, given } from '../kit/spec.js';

const HOUR_MS = 3_600_000;

describe('RestartPanel', () => {
  it('records a restart request unless one is pending', () => {
    given()
      .when({ type: 'RestartPanel', data: { underWay: false } })
      .then(PanelRestartRequested({}));
    given(PanelRestartRequested({}))
      .when({ type: 'RestartPanel', data: { underWay: true } })
      .thenRejects('RESTART_UNDER_WAY');
    // A restart that an earlier process did not finish does not block another one.
    given(PanelRestartRequested({}))
      .when({ type: 'RestartPanel', data: { underWay: false } })
      .then(PanelRestartRequested({}));
  });

  it('has a recorded success or failure', () => {
    const place = { listen: '', port: 2053, tls: true };
    const places = { panel: place, subscription: { ...place, port: 10_882 } };
    given().when({ type: 'RecordPanelRestarted', data: places }).then(PanelRestarted(places));
    const failed = {
      server: 'panel',
      reason: reject('PORT_TAKEN', { port: 9, by: message('inbound.otherProgram') }).text,
    } as const;
    given().when({ type: 'RecordPanelRestartFailed', data: failed }).then(PanelRestartFailed(failed));
  });
});

describe('a certificate event', () => {
  const loaded = { server: 'panel', fingerprint: 'aa', subject: 'panel.example', expiresAt: T0 + HOUR_MS } as const;
  const refused = {
    server: 'panel',
    certFile: '/c',
    keyFile: '/k',
    reason: message('certificate.keyMismatch'),
  } as const;
  const ending = { server: 'panel', expiresAt: T0 } as const;

  it('is recorded for each server when the certificate changes', () => {
    const load = { type: 'RecordCertificateLoaded', data: loaded } as const;
    given().when(load).then(CertificateLoaded(loaded));
    given(CertificateLoaded(loaded)).when(load).thenNothing();
    given(CertificateLoaded({ ...loaded, server: 'subscription' }))
      .when(load)
      .then(CertificateLoaded(loaded));
    given(CertificateLoaded({ ...loaded, fingerprint: 'bb' }))
      .when(load)
      .then(CertificateLoaded(loaded));
  });

  it('is recorded once for each problem, and when the certificate is valid again', () => {
    const refuse = { type: 'RecordCertificateRejected', data: refused } as const;
    given(CertificateLoaded(loaded)).when(refuse).then(CertificateRejected(refused));
    given(CertificateRejected(refused)).when(refuse).thenNothing();
    given(CertificateRejected({ ...refused, certFile: '/d' }))
      .when(refuse)
      .then(CertificateRejected(refused));
    given(CertificateLoaded(loaded), CertificateRejected(refused))
      .when({ type: 'RecordCertificateLoaded', data: loaded })
      .then(CertificateLoaded(loaded));
    given(CertificateRejected(refused), CertificateLoaded(loaded)).when(refuse).then(CertificateRejected(refused));
  });

  it('is recorded once a day before the expiry, and at once for another certificate', () => {
    const remind = { type: 'RecordCertificateExpiring', data: ending } as const;
    const reminded = at(T0 - 23 * HOUR_MS, CertificateExpiring(ending));
    given().when(remind).then(CertificateExpiring(ending));
    given(reminded).when(remind).thenNothing();
    given(reminded)
      .when(remind, { now: T0 + HOUR_MS })
      .then(CertificateExpiring(ending));
    given(reminded, CertificateLoaded(loaded)).when(remind).then(CertificateExpiring(ending));
  });
});
