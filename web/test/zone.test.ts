import { describe, expect, it } from 'vitest';
import { otherZone } from '../src/model/zone';

const WINTER = Date.UTC(2030, 0, 15);

describe('the time zone of the panel', () => {
  it('is another one where its clock differs at some time of the year', () => {
    const differs = { own: 'Europe/Berlin', panel: 'Africa/Lagos' };
    expect(otherZone('Europe/Berlin', 'Africa/Lagos', WINTER)).toStrictEqual(differs);
    expect(otherZone('Asia/Tehran', 'UTC', WINTER)).toStrictEqual({ own: 'Asia/Tehran', panel: 'UTC' });
  });

  it('is the same under another name', () => {
    expect(otherZone('Europe/Berlin', 'Europe/Paris', WINTER)).toBeNull();
    expect(otherZone('UTC', 'Etc/UTC', WINTER)).toBeNull();
    expect(otherZone('UTC', undefined, WINTER)).toBeNull();
  });
});
