import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/lib/parse-json.js';

describe('JSON from outside', () => {
  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, space) => {
        const expected: unknown = JSON.parse(text);
        // The one name that is left out.
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(JSON.stringify(expected, null, space))).toStrictEqual(expected);
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":1}', 'a'],
    ['{"a":{"b":[{},{"c":1,"d":{"c":2},"c":3}]}}', 'a.b.1.c'],
    ['[0,[],{"a":[],"a":{}}]', '2.a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"x:,{[":1,"y":"\\"y\\":","x:,{[":2}', 'x:,{['],
    ['{"":1,"":2}', ''],
    ['{"a\\u202e\\n":1,"a\\u202e\\n":2}', 'a\\u202e\\u000a'],
  ])('with a key twice is refused by its path: %s', (text, path) => {
    expect(() => parseJson(text)).toThrow(`has the key ${path} twice`);
  });

  it('may have the same key in different objects, and text that looks like keys', () => {
    const text = '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":"\\\\\\":{}:"}],"c":"a:a:a"}';
    expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  });

  it('shows a long path only in part', () => {
    const key = 'k'.repeat(5000);
    expect(() => parseJson(`{"${key}":1,"${key}":2}`)).toThrow(/^has the key k{200}… twice$/);
  });

  it.each(['', '{', '{"a":1', '["a', '"a\\', "{'a':1}", '{"a":1,}', 'NaN', '{"a"::1}', '\ufeff{}', '1 2'])(
    'that is none is refused, and not quoted: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(/^is not valid JSON$/);
    },
  );

  it('is refused by depth and by number of values before it is parsed', () => {
    const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(parseJson(nested(64))).toBeDefined();
    expect(() => parseJson(nested(66))).toThrow('is nested deeper than 64 levels');
    expect(() => parseJson('['.repeat(5_000_000))).toThrow('is nested deeper than 64 levels');
    expect(() => parseJson(`[${'[],'.repeat(1_100_000)}[]]`)).toThrow('holds too many values');
  });

  it('brings no prototype along', () => {
    const value = parseJson('{"__proto__":{"admin":true},"a":[{"\\u005f_proto__":{"admin":true},"b":1}]}');
    expect(value).toStrictEqual({ a: [{ b: 1 }] });
    expect(Object.keys(Object.assign({}, value))).toStrictEqual(['a']);
  });
});
