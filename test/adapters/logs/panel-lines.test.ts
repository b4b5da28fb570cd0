import { describe, expect, it } from 'vitest';
import { PanelLines } from '../../../src/adapters/logs/panel-lines.js';

const AT = Date.UTC(2026, 4, 13, 12);
const json = (msg: string, level = 30, more: object = {}) => JSON.stringify({ level, time: AT, ...more, msg });
const everything = { count: 10_000, least: 'debug', zone: 'UTC' } as const;

function linesOf(...all: readonly string[]): PanelLines {
  const lines = new PanelLines();
  for (const line of all) lines.add(line);
  return lines;
}

describe('the lines of the panel', () => {
  it('have a timestamp in the time zone of the settings', () => {
    const lines = linesOf(json('hello'));
    expect(lines.last(everything)).toStrictEqual(['2026/05/13 12:00:00 INFO - hello']);
    expect(lines.last({ ...everything, zone: 'Asia/Tehran' })).toStrictEqual(['2026/05/13 15:30:00 INFO - hello']);
    expect(lines.last({ ...everything, zone: 'Nowhere/Else' })[0]).toMatch(/^2026\/05\/1\d \d\d:00:00 INFO - hello$/);
  });

  it('are the last ones of at least the given level, oldest first', () => {
    const lines = linesOf(...[10, 20, 30, 40, 50, 60].map((level) => json(`l${level}`, level)));
    const of = (least: 'debug' | 'info' | 'notice' | 'warning' | 'error', count = 10) =>
      lines.last({ count, least, zone: 'UTC' }).map((line) => line.slice(20));
    expect(of('debug')).toHaveLength(6);
    expect(of('info')).toStrictEqual(['INFO - l30', 'WARNING - l40', 'ERROR - l50', 'ERROR - l60']);
    expect(of('notice')).toStrictEqual(['WARNING - l40', 'ERROR - l50', 'ERROR - l60']);
    expect(of('error', 1)).toStrictEqual(['ERROR - l60']);
  });

  it('are the last 10,240', () => {
    const lines = linesOf(...Array.from({ length: 10_300 }, (_, index) => json(String(index))));
    const last = lines.last({ ...everything, count: 20_000 });
    expect([last.length, last[0]?.slice(27), last.at(-1)?.slice(27)]).toStrictEqual([10_240, '60', '10299']);
  });

  it('are single lines, whatever was logged', () => {
    const hostile = 'x\nINFO admin logged in\r\u001b[2J\u0000\u2028\u202eend\ud800';
    const [line, ...others] = linesOf(json(hostile, 40, { why: hostile })).last(everything);
    expect(others).toStrictEqual([]);
    const told = 'x\\x0aINFO admin logged in\\x0d\\x1b[2J\\x00\\u2028\\u202eend\\ud800';
    expect(line).toBe(`2026/05/13 12:00:00 WARNING - ${told} why=${told}`);
  });

  it('are truncated', () => {
    const [line = ''] = linesOf(json('a'.repeat(1_000_000))).last(everything);
    expect(line.length).toBeLessThan(2100);
    expect(line.endsWith('…')).toBe(true);
  });

  it.each(['', 'not json', '[]', 'null', '{"level":{}}', '{"time":"x","msg":5}'])('are readable with %j', (text) => {
    const lines = linesOf(text);
    expect(() => lines.last(everything)).not.toThrow();
  });
});
