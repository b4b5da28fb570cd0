import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../../../src/events/ids.js';
import { clientDraft, wireClient, wireKey } from '../../../../src/http/panel/codec/client.js';
import { settingsOf } from '../../../../src/http/panel/codec/inbound-wire.js';
import { WireClient } from '../../../../src/http/panel/contract/schemas/client.js';
import { textOfIssue } from '../../../../src/messages/issue.js';
import { render } from '../../../../src/messages/render.js';

const documentOf = (draft: ReturnType<typeof clientDraft>): Client => ({
  ...draft,
  number: 7 as ClientNumber,
  inbound: 1 as InboundId,
  keyVersion: 1,
  depletion: null,
  depletedAt: 0,
  createdAt: 1000,
  updatedAt: 2000,
});
const decode = (value: unknown) => WireClient.parse(value);
const issues = (value: unknown) =>
  WireClient.safeParse(value).error?.issues.map(
    (problem) => `${problem.path.join('.')}: ${render(textOfIssue(problem), 'en')}`,
  );

const uuid = 'b831381d-6324-4d53-ad4f-8cda48b30811';

describe('a client on the wire', () => {
  it('gets defaults for omitted members when it is new', () => {
    const draft = clientDraft(decode({ id: uuid, email: 'alice' }), 'vless');
    expect(draft.spec).toStrictEqual({
      enabled: true,
      capBytes: 0,
      expiresAt: 0,
      limitIp: 0,
      flow: '',
      security: '',
      method: '',
      renewalDays: 0,
      reverseTag: '',
    });
    expect(draft.identity.subId).toMatch(/^[a-z0-9]{16}$/);
    expect(draft.credential).toStrictEqual({ id: uuid, password: '', auth: '' });
  });

  it('may have the loosely typed values of py3xui', () => {
    const wire = {
      email: 'a',
      enable: true,
      id: 5,
      tgId: '',
      reset: null,
      inboundId: null,
      uuid: null,
      password: null,
      limitIp: '2',
    };
    const draft = clientDraft(decode(wire), 'vless');
    expect(draft.identity).toMatchObject({ tgId: 0, extra: {} });
    expect(draft.spec).toMatchObject({ renewalDays: 0, limitIp: 2 });
    expect(draft.credential).toMatchObject({ id: '5', password: '' });
  });

  it.each([
    ['totalGB', 'abc', 'must be a whole number'],
    ['totalGB', -1, 'must not be negative'],
    ['totalGB', 1.5, 'must be a whole number'],
    ['totalGB', '1e3', 'must be a whole number'],
    ['totalGB', '01', 'must be a whole number'],
    ['totalGB', 2 ** 60, `must be 0 to ${Number.MAX_SAFE_INTEGER}`],
    ['totalGB', Number.POSITIVE_INFINITY, 'must be a whole number'],
    ['limitIp', {}, 'must be a whole number'],
    ['limitIp', true, 'must be a whole number'],
    ['tgId', 'me', 'must be a whole number'],
    ['enable', 'maybe', 'must be true or false'],
    ['email', ['a'], 'must be a string'],
    ['reverse', 'tag', 'must be an object with a tag'],
  ])('is rejected with the name of the invalid member: %s = %j', (name, value, why) => {
    expect(issues({ email: 'a', [name]: value })).toStrictEqual([`${name}: ${why}`]);
  });

  it('keeps members that an update omits, and replaces those that it has', () => {
    const before = documentOf(
      clientDraft(decode({ id: uuid, email: 'a', subId: 's', totalGB: 5, comment: 'c', level: 1 }), 'vless'),
    );
    const after = clientDraft(decode({ email: 'b', subId: '', totalGB: 0, note: [1] }), 'vless', before);
    expect(after.spec.capBytes).toBe(0);
    expect(after.identity).toStrictEqual({
      email: 'b',
      subId: '',
      comment: 'c',
      tgId: 0,
      extra: { level: 1, note: [1] },
    });
    expect(after.credential.id).toBe(uuid);
  });

  it('does not get the number of a counter row as its id', () => {
    const before = documentOf(clientDraft(decode({ id: uuid, email: 'a' }), 'vless'));
    expect(clientDraft(decode({ id: 7, email: 'a' }), 'vless', before).credential.id).toBe(uuid);
  });

  it('may have its password under the name id, as in the specification', () => {
    expect(clientDraft(decode({ id: 'pw', email: 'a' }), 'trojan').credential.password).toBe('pw');
    expect(clientDraft(decode({ id: 'pw', email: 'a' }), 'hysteria2').credential.auth).toBe('pw');
    expect(wireKey('trojan', decode({ id: 'x', password: 'pw', email: 'a' }))).toBe('pw');
  });

  it('omits credentials that it does not have', () => {
    const wire = wireClient(documentOf(clientDraft(decode({ password: 'pw', email: 'a', subId: 's' }), 'trojan')));
    expect(Object.keys(wire)).toStrictEqual([
      ...['security', 'password', 'flow', 'email', 'limitIp', 'totalGB', 'expiryTime', 'enable', 'tgId', 'subId'],
      ...['comment', 'reset', 'created_at', 'updated_at'],
    ]);
  });
});

const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const wires = fc.record({
  id: fc.uuid(),
  email: fc.string({ minLength: 1 }),
  security: fc.string(),
  flow: fc.constantFrom('', 'xtls-rprx-vision'),
  limitIp: amount,
  totalGB: amount,
  expiryTime: fc.maxSafeInteger(),
  enable: fc.boolean(),
  tgId: fc.maxSafeInteger(),
  subId: fc.string({ minLength: 1 }),
  comment: fc.string(),
  reset: amount,
  other: fc.jsonValue(),
});

it('wire → draft → document → wire preserves every member', () => {
  fc.assert(
    fc.property(wires, (wire) => {
      const sent = JSON.parse(JSON.stringify(wire)) as typeof wire;
      const document = documentOf(clientDraft(decode(sent), 'vless'));
      expect(JSON.parse(settingsOf([document]))).toMatchObject(JSON.parse(JSON.stringify(wire)) as object);
      expect(clientDraft(decode(wireClient(document)), 'vless', document)).toStrictEqual(
        clientDraft(decode({}), 'vless', document),
      );
    }),
  );
});

it('hostile clients never make the codec throw', () => {
  const junk = fc.dictionary(fc.constantFrom(...Object.keys(WireClient.def.shape), '__proto__', 'x'), fc.anything());
  fc.assert(
    fc.property(fc.oneof(junk, fc.anything()), (value) => {
      const parsed = WireClient.safeParse(value);
      if (parsed.success) clientDraft(parsed.data, 'trojan');
    }),
  );
});
