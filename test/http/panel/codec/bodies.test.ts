import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { body, Id, IdOrAll, texts } from '../../../../src/http/panel/contract/schemas/fields.js';
import { ImportBody, InboundBody } from '../../../../src/http/panel/contract/schemas/inbound.js';
import { textOfIssue } from '../../../../src/messages/issue.js';
import { render } from '../../../../src/messages/render.js';

const complaints = (schema: z.ZodType, value: unknown) =>
  schema
    .safeParse(value)
    .error?.issues.map((problem) => `${problem.path.join('.')}: ${render(textOfIssue(problem), 'en')}`);

describe('an inbound body', () => {
  it('is read the same from JSON and from a form', () => {
    const json = {
      enable: true,
      port: 443,
      total: 0,
      settings: { clients: [] },
      sniffing: {},
      streamSettings: {},
      remark: 'r',
    };
    const form = {
      enable: 'true',
      port: '443',
      total: '',
      settings: '{"clients":[]}',
      sniffing: '',
      streamSettings: '',
      remark: 'r',
    };
    expect(InboundBody.parse(form)).toStrictEqual(InboundBody.parse(json));
  });

  it('keeps absent members absent', () => {
    expect(Object.values(InboundBody.parse(undefined)).every((value) => value === undefined)).toBe(true);
  });

  it.each([
    [{ settings: '{"clients":' }, 'settings: is not valid JSON'],
    [{ settings: '[]' }, 'settings: must be a JSON object'],
    [{ settings: '{"clients":{}}' }, 'settings.clients: must be a list'],
    [{ settings: '{"clients":[{"totalGB":"x"}]}' }, 'settings.clients.0.totalGB: must be a whole number'],
    [{ settings: '{"a":1e999}' }, 'settings: contains a number beyond ±1.7e308: use a smaller one'],
    [{ streamSettings: 7 }, 'streamSettings: must be a JSON object'],
    [{ port: '4a3' }, 'port: must be a whole number'],
    [{ port: 70_000 }, 'port: must be 0 to 65535'],
    [{ expiryTime: -1 }, 'expiryTime: must not be negative'],
    [{ trafficReset: 'yearly' }, 'trafficReset: must be one of never, hourly, daily, weekly, monthly'],
    [{ port: ['1', '2'] }, 'port: must be a whole number'],
    [{ total: null }, 'total: must be a whole number'],
    [{ settings: { clients: [{ totalGB: null }] } }, 'settings.clients.0.totalGB: must be a whole number'],
    [[{ port: 443 }], ': must be an object'],
    ['port', ': must be an object'],
  ])('is rejected with a reason for %j', (value, complaint) => {
    expect(complaints(InboundBody, value)).toStrictEqual([complaint]);
  });

  it('is rejected for deep nesting before it is parsed', () => {
    const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    expect(complaints(InboundBody, { settings: deep })).toStrictEqual(['settings: is nested deeper than 64 levels']);
    const deeper = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
    expect(complaints(InboundBody, { streamSettings: deeper })).toStrictEqual([
      'streamSettings: is nested deeper than 64 levels',
    ]);
  });

  it('has a limit of values, but not of clients', () => {
    const many = Array.from({ length: 100_001 }, () => 1);
    for (const odd of [many, { a: many }, Object.fromEntries(many.map((one, n) => [`k${n}`, one]))])
      for (const settings of [{ odd }, { clients: [{ odd }] }])
        for (const sent of [settings, JSON.stringify(settings)])
          expect(complaints(InboundBody, { settings: sent })).toStrictEqual(['settings: contains too many values']);
    const lists = Array.from({ length: 3 }, () => many.slice(0, 40_000));
    expect(complaints(InboundBody, { settings: { lists } })).toStrictEqual(['settings: contains too many values']);
    const clients = Array.from({ length: 20_000 }, (_, n) => ({ email: `c${n}`, totalGB: 0, enable: true, tgId: '' }));
    expect(InboundBody.parse({ settings: { clients: [{ email: 'x' }], list: many.slice(9) } }).settings).toBeDefined();
    expect(InboundBody.parse({ settings: JSON.stringify({ clients }) }).settings?.clients).toHaveLength(20_000);
  });

  it('is rejected without internal names in the message', () => {
    const text = '{"__proto__":{"x":1},"a":[{"constructor":1,"prototype":2,"b":3}]}';
    expect(JSON.stringify(InboundBody.parse({ streamSettings: text }).streamSettings)).toBe('{"a":[{"b":3}]}');
  });

  it('is never quoted in the message', () => {
    for (const value of ['{"secret":', '"secret"', 'secret']) {
      expect(complaints(InboundBody, { settings: value })?.join()).not.toContain('secret');
    }
  });

  it('is required by an import', () => {
    expect(complaints(ImportBody, {})).toStrictEqual(['data: is missing']);
    expect(ImportBody.parse({ data: '{"id":3,"port":1,"settings":"{}"}' }).data).toMatchObject({
      port: 1,
      settings: {},
    });
  });
});

it('numbers in paths have digits only', () => {
  for (const text of ['1e3', '01', '-1', ' 1', '1.0', '', '99999999999999999999', '0x1'])
    expect(Id.safeParse(text).success).toBe(false);
  expect(Id.parse('12')).toBe(12);
  expect(IdOrAll.parse('-1')).toBe(-1);
  expect(IdOrAll.safeParse('-2').success).toBe(false);
});

it('lists are read from JSON, repeated fields and a single field', () => {
  const list = body({ list: texts });
  expect([['a', 'b'], '["a","b"]', 'a', '', undefined].map((value) => list.parse({ list: value }).list)).toStrictEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a'],
    [],
    [],
  ]);
  expect(complaints(list, { list: '[1]' })).toStrictEqual(['list: must be a list of strings']);
});

/** Clients of 3x-ui send `null` for these where they have no value. */
const MAY_BE_NULL = ['nodeId'];

it('null is no number, required flag or list in any body', () => {
  const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
  let looked = 0;
  for (const { body: schema, path } of routes) {
    const inner: unknown = schema instanceof z.ZodPipe ? schema.def.out : schema;
    if (!(inner instanceof z.ZodObject)) continue;
    for (const [name, member] of Object.entries(inner.shape)) {
      const kind = (member as z.ZodType).meta()?.['type'];
      const isFlag = kind === 'boolean' && complaints(schema, {})?.includes(`${name}: is missing`);
      if (MAY_BE_NULL.includes(name) || !(kind === 'integer' || kind === 'array' || isFlag)) continue;
      looked += 1;
      expect([
        path,
        complaints(schema, { [name]: null })?.some((problem) => problem.startsWith(`${name}: must be`)),
      ]).toEqual([path, true]);
    }
  }
  expect(looked).toBeGreaterThan(10);
});

it('no schema throws for a hostile body', () => {
  const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
  const names = [
    'settings',
    'streamSettings',
    'data',
    'coreSetting',
    'id',
    'port',
    'enable',
    'username',
    'clientEmails',
    'tag',
  ];
  const member = fc.oneof(fc.anything(), fc.json(), fc.constant('{"clients":[null,1,{}]}'));
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...names), member)), (value) => {
      for (const route of routes) route.body.safeParse(value);
    }),
  );
});

it('every schema has a description', () => {
  for (const table of Object.values(tables)) {
    for (const route of Object.values(table) as Route[]) {
      z.toJSONSchema(route.params, { io: 'input' });
      z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' });
      z.toJSONSchema(route.reply);
    }
  }
});
