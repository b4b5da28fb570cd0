import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { catalog } from '../../src/events/catalog.js';
import type { EventType } from '../../src/events/log/event.js';
import { settingKeys } from '../../src/events/settings/settings.js';
import { textSchema } from '../../src/events/text.js';

const SENSITIVE = /(pass|token|secret|key$|uuid|subId|email|auth|ip$|ips|username|credential)/i;

/** Fields with names like secrets that are not secret, each with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  'DataKeyDestroyed.key': 'the name of a key, not the key: what is left when it is destroyed',
  'SecretSettingChanged.key': 'which setting it is, not its value',
  'ClientAdded.spec.limitIp': 'a number of addresses, not an address',
  'ClientUpdated.changes.limitIp': 'a number of addresses, not an address',
  'ClientsUpdated.clients.limitIp': 'a number of addresses, not an address',
  ...Object.fromEntries(
    ['PasskeyAdded', 'PasskeyUsed', 'PasskeyRemoved'].map((type) => [`${type}.passkey`, 'its number']),
  ),
  ...Object.fromEntries(
    ['TokenCreated', 'TokenChanged', 'TokenRotated', 'TokenRevoked', 'TokenUsed'].map((type) => [
      `${type}.token`,
      'its number',
    ]),
  ),
  'HeadKeyCreated.publicKey': 'a public key',
  'HeadReceived.publicKey': 'a public key',
  'HeadSigned.head.key': 'the first digits of the hash of a public key',
  'HeadReceived.head.key': 'the first digits of the hash of a public key',
  'ClientIdentityChanged.emailChanged': 'whether the email changed, not the email',
};

type Def = z.core.$ZodTypes['_zod']['def'];

/** Every path of a schema that an object's member makes. */
function* paths(schema: z.core.$ZodType, path: string): Generator<string> {
  const def = schema._zod.def as Def;
  switch (def.type) {
    case 'object':
      for (const [name, member] of Object.entries(def.shape)) {
        yield `${path}.${name}`;
        yield* paths(member, `${path}.${name}`);
      }
      break;
    case 'array':
      yield* paths(def.element, path);
      break;
    case 'tuple':
      for (const item of def.items) yield* paths(item, path);
      break;
    case 'union':
      for (const option of def.options) yield* paths(option, path);
      break;
    case 'record':
      yield* paths(def.valueType, path);
      break;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      yield* paths(def.innerType, path);
      break;
    case 'pipe':
      yield* paths(def.in, path);
      break;
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
    case 'lazy': // z.json()
      break;
    case 'custom':
      // A reason: a message code and its parameters, or the words of another program.
      if (def === textSchema.def) break;
      throw new Error(`${path}: teach this test about this schema`);
    default:
      throw new Error(`${path}: teach this test about ${def.type}`);
  }
}

const types: readonly EventType[] = catalog;
const all = types.map((type) => ({ type, fields: [...new Set(paths(type.schema, type.type))] }));

describe('secret or personal data in an event', () => {
  it('is in a sealed field, or is an exception with a reason', () => {
    const bare = all.flatMap(({ type, fields }) =>
      fields.filter((path) => {
        const [, top = '', ...rest] = path.split('.');
        const sounds = SENSITIVE.test([top, ...rest].at(-1) ?? '');
        return sounds && !(top in type.seals) && !(path in OPEN);
      }),
    );
    expect(bare).toStrictEqual([]);
  });

  it('is searched in every type, and every exception still exists', () => {
    const known = new Set(all.flatMap(({ fields }) => fields));
    expect(all.length).toBe(catalog.length);
    expect(known).toContain('ClientAdded.identity.email');
    expect(known).toContain('ClientIpsSeen.ips.ip');
    expect(known).toContain('InboundDepleted.depletion.expiresAt');
    expect(Object.keys(OPEN).filter((path) => !known.has(path))).toStrictEqual([]);
  });

  it('is in no setting that is stored in plain text', () => {
    // SettingsChanged names its keys freely, so the walk cannot see them.
    const sealed = types.find(({ type }) => type === 'SettingsChanged')?.seals ?? {};
    // This is a number of addresses, not an address.
    const harmless: readonly string[] = ['ldapDefaultLimitIP', 'apiTokenEnable'];
    const bare = settingKeys.filter((key) => SENSITIVE.test(key) && !harmless.includes(key));
    if (!('changes' in sealed)) expect(bare).toStrictEqual([]);
  });

  it('is sealed in free-form records that may contain keys of servers', () => {
    const records = all.flatMap(({ type, fields }) =>
      fields.filter((path) => /\.(settings|stream|template)$/.test(path)).map((path) => [type, path] as const),
    );
    expect(records.length).toBeGreaterThan(4);
    for (const [type, path] of records) expect(Object.keys(type.seals), path).toContain(path.split('.')[1]);
  });
});
