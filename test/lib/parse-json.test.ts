import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, parseJson } from '../../src/lib/parse-json.js';
import { message, type Text } from '../../src/messages/message.js';

/** Why a text is refused; null when it is not. */
function refusalOf(text: string): Text | null {
  try {
    parseJson(text);
    return null;
  } catch (error) {
    if (error instanceof JsonError) return error.text;
    throw error;
  }
}

describe('untrusted JSON', () => {
  it('is parsed as by JSON.parse', () => {
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
  ])('with a duplicate key is rejected with its path: %s', (text, path) => {
    expect(refusalOf(text)).toStrictEqual(message('input.jsonKeyTwice', { key: path }));
  });

  it('may have the same key in different objects, and text that looks like keys', () => {
    const text = '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":"\\\\\\":{}:"}],"c":"a:a:a"}';
    expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  });

  it('has a long path shortened in the error', () => {
    const key = 'k'.repeat(5000);
    expect(refusalOf(`{"${key}":1,"${key}":2}`)).toStrictEqual(
      message('input.jsonKeyTwice', { key: `${'k'.repeat(200)}…` }),
    );
  });

  it.each(['', '{', '{"a":1', '["a', '"a\\', "{'a':1}", '{"a":1,}', 'NaN', '{"a"::1}', '\ufeff{}', '1 2'])(
    'that is invalid is rejected without being quoted: %s',
    (text) => {
      expect(refusalOf(text)).toStrictEqual(message('input.notJson'));
    },
  );

  it('is rejected by depth and number of values before it is parsed', () => {
    const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(parseJson(nested(64))).toBeDefined();
    expect(refusalOf(nested(66))).toStrictEqual(message('input.jsonTooDeep', { levels: 64 }));
    expect(refusalOf('['.repeat(5_000_000))).toStrictEqual(message('input.jsonTooDeep', { levels: 64 }));
    expect(refusalOf(`[${'[],'.repeat(1_100_000)}[]]`)).toStrictEqual(message('input.jsonTooLarge'));
  });

  it('sets no prototype', () => {
    const value = parseJson('{"__proto__":{"admin":true},"a":[{"\\u005f_proto__":{"admin":true},"b":1}]}');
    expect(value).toStrictEqual({ a: [{ b: 1 }] });
    expect(Object.keys(Object.assign({}, value))).toStrictEqual(['a']);
  });
});
