import { describe, expect, it } from 'vitest';
import { markOf, OTHER_CENTRE, readMark, uidOf } from '../../src/lib/ownership-mark.js';

const centre = '0190a000-0000-7000-8000-000000000000';
const uid = uidOf({ id: '0190a000-0000-7000-8000-00c6fa8cebfb' });

describe('the mark of a centre', () => {
  it('is read back, also in its earlier format without an instance', () => {
    expect(readMark(centre, markOf(centre, 7, uid))).toStrictEqual({ number: 7, uid: '00c6fa8cebfb' });
    expect(readMark(centre, `portolan:${centre}:7`)).toStrictEqual({ number: 7, uid: '' });
    expect(markOf(centre, 7, '')).toBe(`portolan:${centre}:7`);
  });

  it('of another centre is recognized as such', () => {
    for (const mark of [markOf('another', 7, uid), markOf('another', 7, '')])
      expect(readMark(centre, mark)).toStrictEqual({ number: OTHER_CENTRE, uid: '' });
  });

  it.each([
    ['nothing', ''],
    ['a number', 7],
    ['what a person wrote', 'portolan'],
    ['number 0', `portolan:${centre}:0:${uid}`],
    ['more than a mark', `${markOf(centre, 7, uid)}:x`],
    ['an empty uid', `portolan:${centre}:7:`],
    ['a uid that is too long', `portolan:${centre}:7:${uid}0`],
  ])('is invalid: %s', (_, mark) => {
    expect(readMark(centre, mark)).toStrictEqual({ number: 0, uid: '' });
  });
});
