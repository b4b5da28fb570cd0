import { describe, expect, it } from 'vitest';
import { eventType, type RecordedEvent } from '../../../src/events/catalog.js';
import { groupOf } from '../../../src/events/groups.js';
import { languages } from '../../../src/messages/language.js';
import { render } from '../../../src/messages/render.js';
import { changesOf } from '../../../src/projections/audit/changes.js';
import { typesOf } from '../../../src/projections/audit/groups.js';
import { sentenceOf } from '../../../src/projections/audit/sentences.js';
import { samples } from '../../events/samples.js';

const current = samples.filter(({ type, version }) => eventType(type)?.schemaVersion === version);
const CANARY = 'canary-7f3a';
/** Sealed fields of which nothing may be shown. */
const SECRETS = ['credential', 'secret', 'config', 'template', 'session'];

function recorded(type: string, data: unknown): RecordedEvent {
  const actor = { kind: 'user', id: '1', name: 'admin', ip: null };
  const meta = { at: 1_700_000_000_000, actor, correlationId: 'c', causationId: null, commandId: null };
  return { position: 7, id: 'e', type, stream: 's', version: 3, meta, data } as RecordedEvent;
}

function tainted(value: unknown): unknown {
  if (typeof value === 'string') return CANARY;
  if (Array.isArray(value)) return value.map(tainted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, tainted(member)]));
}

/** With a canary in the place of every secret. */
function withCanaries(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const secrets = SECRETS.filter((field) => field in data).map((field) => [field, tainted(data[field])]);
  const { identity, credentials, credential } = data as Partial<Record<string, object>>;
  // People recognize a passkey by its name.
  const { name } = (credential ?? {}) as { name?: string };
  return {
    ...data,
    ...Object.fromEntries(secrets),
    ...(credential && name !== undefined && { credential: { ...(tainted(credential) as object), name } }),
    ...(identity && { identity: { ...identity, subId: CANARY, extra: { [CANARY]: CANARY } } }),
    ...(credentials && { credentials: { ...credentials, passwordHash: CANARY } }),
  };
}

describe('an event in the audit', () => {
  it.each(current.map(({ type, data }) => [type, data as Record<string, unknown>] as const))(
    '%s has a sentence in every language, and no secret in it or in its changes',
    (type, data) => {
      const event = recorded(type, withCanaries(data));
      for (const language of languages) {
        const text = render(sentenceOf(event), language);
        expect(text).not.toBe('');
        expect(text).not.toContain('{{');
        expect(text).not.toContain(CANARY);
      }
      expect(sentenceOf(event)).not.toMatchObject({ code: 'history.otherEvent' });
      expect(JSON.stringify(changesOf({ earlier: () => [] }, event))).not.toContain(CANARY);
    },
  );

  it('belongs to one group, and measurements are left out unless they are wanted', () => {
    expect(groupOf('ClientIpsBlocked')).toBe('clients');
    expect(groupOf('LoginFailed')).toBe('access');
    expect(groupOf('InboundRejectedByCore')).toBe('core');
    expect(groupOf('PanelStarted')).toBe('panel');
    expect(typesOf([], '', true)).toBeNull();
    expect(typesOf([], '', false)?.has('TrafficRecorded')).toBe(false);
    expect(typesOf(['TrafficRecorded'], 'clients', false)).toStrictEqual(new Set(['TrafficRecorded']));
    expect(typesOf([], 'traffic', true)?.has('TrafficRecorded')).toBe(true);
    expect(typesOf([], 'geo', false)?.has('GeoSourceAdded')).toBe(true);
  });
});
