import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../src/events/catalog.js';
import {
  CoreFailed,
  CoreStarted,
  CoreStopped,
  InboundAcceptedByCore,
  InboundRejectedByCore,
} from '../../src/events/core.js';
import { InboundId } from '../../src/events/ids.js';
import { message, verbatim } from '../../src/messages/message.js';
import { render } from '../../src/messages/render.js';
import { rendered } from '../../src/messages/rendered.js';
import { pushesOf } from '../../src/projections/pushes.js';
import { samples, secretTexts } from '../events/samples.js';
import { recorded } from '../kit/spec.js';

const sample = (type: string): PanelEvent => {
  const found = samples.findLast((one) => one.type === type);
  return { type, data: found?.data } as PanelEvent;
};
const stale = (...types: string[]) =>
  pushesOf(recorded(types.map(sample))).flatMap((push) => (push.type === 'invalidate' ? [push.resource] : []));

describe('a push to browsers', () => {
  it.each([
    ['InboundAdded', ['inbounds']],
    ['InboundRejectedByCore', ['inbounds']],
    ['ClientUpdated', ['inbounds']],
    ['ClientDepleted', ['inbounds']],
    ['ClientIpsCleared', ['inbounds']],
    ['ClientIpsSeen', []],
    ['OutboundTrafficReset', ['outbounds']],
    ['CoreTemplateChanged', ['core']],
    ['SettingsChanged', ['settings']],
    ['SecretSettingChanged', ['settings']],
    ['SessionsRevoked', ['users']],
    ['TwoFactorCodeUsed', []],
    ['UserCreated', ['users']],
    ['AdminAccessChanged', ['users', 'inbounds']],
    ['RoleDefined', ['users', 'inbounds']],
    ['UserCredentialsChanged', ['users']],
    ['ApiTokenIssued', ['users']],
    ['LoggedIn', ['users']],
    ['LoggedOut', ['users']],
    ['LoginFailed', []],
    ['PanelStarted', []],
    ['DataKeyDestroyed', []],
    ['MeasurementsRolledUp', []],
  ])('for %s invalidates %j', (type, resources) => {
    expect(stale(type)).toStrictEqual(resources);
  });

  it('invalidates a resource once per batch', () => {
    expect(stale('InboundAdded', 'ClientAdded', 'ClientUpdated', 'SettingsChanged')).toStrictEqual([
      'inbounds',
      'settings',
    ]);
  });

  it('has the state of the core as a message', () => {
    expect(pushesOf(recorded([CoreStarted({ run: 'r', version: '26.7', reason: 'start' })]))).toStrictEqual([
      { type: 'xrayState', data: 'running' },
      {
        type: 'notification',
        title: message('notifications.coreRunning'),
        body: message('notifications.version', { version: '26.7' }),
        severity: 'success',
      },
    ]);
    expect(pushesOf(recorded([CoreStopped({ run: 'r', reason: 'request' })]))).toStrictEqual([
      { type: 'xrayState', data: 'stop' },
      {
        type: 'notification',
        title: message('notifications.coreStopped'),
        body: message('notifications.stoppedByAdmin'),
        severity: 'warning',
      },
    ]);
    expect(pushesOf(recorded([CoreFailed({ run: 'r', reason: verbatim('killed') })]))).toStrictEqual([
      { type: 'xrayState', data: 'error' },
      { type: 'notification', title: message('notifications.coreFailed'), body: verbatim('killed'), severity: 'error' },
    ]);
  });

  it.each([
    ['PanelRestartRequested', 'warning', 'The panel is restarting', 'It will be back in a few seconds.'],
    ['PanelRestarted', 'success', 'The panel has restarted', 'It runs with the current settings.'],
    [
      ...(['PanelRestartFailed', 'error', 'The panel could not restart and keeps running as before'] as const),
      'Port already exists: 2096 is used by another program',
    ],
    ['CertificateLoaded', 'success', 'A certificate was loaded', 'panel.example'],
    [
      ...(['CertificateRejected', 'error', 'A certificate cannot be used'] as const),
      '/etc/tls/fullchain.pem: The key does not belong to the certificate',
    ],
    ['CertificateExpiring', 'warning', 'A certificate expires soon', 'It expires at 2026-01-01 00:00:00Z'],
  ])('notifies of %s', (type, severity, title, body) => {
    const pushes = rendered(pushesOf(recorded([sample(type)])), (text) => render(text, 'en'));
    expect(pushes).toStrictEqual([{ type: 'notification', title, body, severity }]);
  });

  it('notifies of rejected inbounds and of their acceptance', () => {
    const inbound = InboundId.parse(3);
    const events = recorded([
      InboundRejectedByCore({ inbound, reason: verbatim('open /a.pem: no such file or directory') }),
      InboundAcceptedByCore({ inbound }),
    ]);
    expect(pushesOf(events)).toStrictEqual([
      {
        type: 'notification',
        title: message('notifications.inboundRejectedByCore'),
        body: message('notifications.inboundReason', {
          inbound,
          reason: verbatim('open /a.pem: no such file or directory'),
        }),
        severity: 'error',
      },
      {
        type: 'notification',
        title: message('notifications.inboundAcceptedByCore'),
        body: message('notifications.inbound', { inbound }),
        severity: 'success',
      },
      { type: 'invalidate', resource: 'inbounds' },
    ]);
  });

  it('contains no secret of the event', () => {
    for (const { type } of samples) {
      const told = JSON.stringify(pushesOf(recorded([sample(type)])));
      expect(
        secretTexts.filter((text) => told.includes(text)),
        type,
      ).toStrictEqual([]);
      expect(told, type).not.toMatch(/example\.org|198\.51/);
    }
  });
});
