import { describe, expect, it } from 'vitest';
import type { Node, Status } from '../src/api/contract.generated';
import { byVersion, concernsOf, type Sources } from '../src/screens/overview/concerns';
import { joined } from '../src/screens/overview/joined';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

const status = {
  core: { state: 'running', errorMsg: '', version: '26.1.1' },
  disk: { current: 50, total: 100 },
} as Status;
const node = { id: 3, name: 'Oslo', enable: true, status: 'online', syncState: 'synced', pendingChanges: 0 } as Node;
const kinds = (sources: Partial<Sources>) =>
  concernsOf({ status, ...sources }, NOW).map(({ kind, to, isGrave }) => [kind, to, isGrave]);
const attention = {
  certificates: [],
  inboundCertificates: [],
  refusedInbounds: [],
  webhooks: [],
  failingHeadSinks: [],
  headConflicts: [],
};

describe('what needs attention', () => {
  it('is nothing when all is well', () => {
    const certificates = [{ server: 'panel' as const, expiresAt: NOW + 60 * DAY, problem: '', problemCode: null }];
    const panelUpdate = { currentVersion: '1.0.0', latestVersion: '1.0.0', updateAvailable: false };
    const backups = { last: null, lastGood: null, next: NOW, late: false, files: [] };
    const sources = { nodes: [node], backups, panelUpdate, coreVersions: ['v26.1.1', 'v25.12.8'] };
    expect(kinds({ ...sources, attention: { ...attention, certificates } })).toStrictEqual([]);
  });

  it.each([
    ['core', 'error', 'coreFailed'],
    ['core', 'stop', 'coreStopped'],
  ] as const)('is the %s in the state %s', (_, state, kind) => {
    const core = { ...status.core, state };
    expect(kinds({ status: { ...status, core } })).toStrictEqual([[kind, '/core', true]]);
  });

  it('is a disk that is fuller than nine tenths', () => {
    const of = (current: number) => kinds({ status: { ...status, disk: { current, total: 100 } } });
    expect(of(90)).toStrictEqual([]);
    expect(of(91)).toStrictEqual([['disk', '/backups', true]]);
    expect(kinds({ status: { ...status, disk: { current: 0, total: 0 } } })).toStrictEqual([]);
  });

  it.each([
    [15 * DAY, '', []],
    [13 * DAY, '', [['certificateExpires', '/settings?group=server', false]]],
    [-DAY, '', [['certificateExpired', '/settings?group=server', true]]],
    [60 * DAY, 'the key does not match', [['certificateRejected', '/settings?group=server', true]]],
  ])('is a certificate that expires within %i ms, with the problem %j', (ms, problem, wanted) => {
    const certificates = [{ server: 'panel' as const, expiresAt: NOW + ms, problem, problemCode: null }];
    expect(kinds({ attention: { ...attention, certificates } })).toStrictEqual(wanted);
  });

  it('is a certificate of the subscription server, in the group of its settings', () => {
    const certificates = [
      { server: 'subscription' as const, expiresAt: NOW - DAY, problem: 'no key', problemCode: null },
    ];
    expect(kinds({ attention: { ...attention, certificates } })).toStrictEqual([
      ['certificateRejected', '/settings?group=subscription', true],
      ['certificateExpired', '/settings?group=subscription', true],
    ]);
  });

  it.each([
    [15 * DAY, []],
    [13 * DAY, [['inboundCertificateExpires', '/inbounds/7', false]]],
    [-DAY, [['inboundCertificateExpired', '/inbounds/7', true]]],
  ])('is the certificate of an inbound that expires within %i ms', (ms, wanted) => {
    const inboundCertificates = [{ id: 7, remark: 'Quay', tag: 't', expiresAt: NOW + ms }];
    expect(kinds({ attention: { ...attention, inboundCertificates } })).toStrictEqual(wanted);
  });

  it.each([
    [{ status: 'offline' }, [['nodeOffline', '/nodes/3', true]]],
    [{ syncState: 'refused', pendingChanges: 1 }, [['nodeRefused', '/nodes/3', true]]],
    [{ syncState: 'failing' }, [['nodeFailing', '/nodes/3', true]]],
    [{ syncState: 'behind', pendingChanges: 2 }, [['nodeBehind', '/nodes/3', false]]],
    [{ status: 'offline', enable: false }, []],
  ])('is a node that is %j', (changes, wanted) => {
    expect(kinds({ nodes: [{ ...node, ...changes } as Node] })).toStrictEqual(wanted);
  });

  it('is a late or failed backup, a refused inbound, a pending update; the grave first', () => {
    const last = { at: NOW, why: 'the disk is full', whyCode: null };
    const backups = { last, lastGood: null, next: NOW, late: true, files: [] };
    const refusedInbounds = [{ id: 7, remark: 'r', tag: 't', problem: 'why', problemCode: null }];
    const panelUpdate = { currentVersion: '1.0.0', latestVersion: 'v1.1.0', updateAvailable: true };
    const coreVersions = ['v26.1.1', 'v26.2.0', 'v25.12.8'];
    expect(kinds({ backups, panelUpdate, coreVersions, attention: { ...attention, refusedInbounds } })).toStrictEqual([
      ['inboundRefused', '/inbounds/7', true],
      ['backupFailed', '/backups', true],
      ['backupLate', '/backups', false],
      ['panelUpdate', '/core', false],
      ['coreUpdate', '/core', false],
    ]);
  });

  it.each([
    [{ gone: true }, 'webhookGone', true],
    [{ failingSince: NOW - DAY }, 'webhookFailing', false],
    [{ deadLetters: 2 }, 'webhookRejected', false],
  ])('is a webhook with %j', (changes, kind, isGrave) => {
    const webhook = { id: 1, name: 'billing', gone: false, failingSince: 0, deadLetters: 0 };
    const webhooks = [{ ...webhook, ...changes, problem: '', problemCode: null }];
    expect(kinds({ attention: { ...attention, webhooks } })).toStrictEqual([[kind, '/webhooks', isGrave]]);
  });

  it('compares versions by their numbers', () => {
    expect(byVersion('v26.10.0', '26.9.9')).toBeGreaterThan(0);
    expect(byVersion('v1.2.3', '1.2.3')).toBe(0);
    expect(byVersion('1.2', '1.2.1')).toBeLessThan(0);
  });
});

describe('the chart of the last hours', () => {
  it('continues the history by what came in since, and drops what is older than six hours', () => {
    const history = [10, 12, 14].map((t) => ({ t, v: t * 2 }));
    const points = [14, 16].map((at) => ({ at, values: { cpu: at * 10 } }));
    expect(joined(['cpu'], [history], points)).toStrictEqual({
      times: [10, 12, 14, 16],
      values: [[20, 24, 28, 160]],
    });
    const later = [{ at: 6 * 3600 + 13, values: { cpu: 1 } }];
    expect(joined(['cpu'], [history], later)).toStrictEqual({ times: [14, 6 * 3600 + 13], values: [[28, 1]] });
  });
});
