import { describe, expect, it } from 'vitest';
import { bornOf, markOf, OTHER_CENTRE, readMark } from '../../src/lib/node-words.js';

const centre = '0190a000-0000-7000-8000-000000000000';
const born = bornOf({ id: '0190a000-0000-7000-8000-00c6fa8cebfb' });

describe('the mark of a centre', () => {
  it('is read as it was written, and as it was before it said which of a number is meant', () => {
    expect(readMark(centre, markOf(centre, 7, born))).toStrictEqual({ number: 7, born: '00c6fa8cebfb' });
    expect(readMark(centre, `portolan:${centre}:7`)).toStrictEqual({ number: 7, born: '' });
    expect(markOf(centre, 7, '')).toBe(`portolan:${centre}:7`);
  });

  it('of another centre says only that', () => {
    for (const mark of [markOf('another', 7, born), markOf('another', 7, '')])
      expect(readMark(centre, mark)).toStrictEqual({ number: OTHER_CENTRE, born: '' });
  });

  it.each([
    ['nothing', ''],
    ['no text', 7],
    ['what a person wrote', 'portolan'],
    ['number 0', `portolan:${centre}:0:${born}`],
    ['more than a mark', `${markOf(centre, 7, born)}:x`],
    ['an empty birth', `portolan:${centre}:7:`],
    ['a birth that is too long', `portolan:${centre}:7:${born}0`],
  ])('is none: %s', (_, mark) => {
    expect(readMark(centre, mark)).toStrictEqual({ number: 0, born: '' });
  });
});
