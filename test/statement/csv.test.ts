import { expect, it } from 'vitest';
import type { Statement } from '../../src/projections/statement.js';
import { statementCsv } from '../../src/projections/statement-csv.js';
import { T0 } from '../kit/builders.js';

const zero = { up: 0, down: 0 };

/** A statement in which everything that somebody can name is called `name`. */
function called(name: string): Statement {
  const entry = { at: T0, position: 7, client: 1, kind: 'reset' as const, rule: 'by hand' };
  return {
    ...{ zone: 'UTC', from: '2026-03-01', to: '2026-03-31', clients: [] },
    ...{ opening: zero, used: { up: 1, down: 2 }, changed: { up: -1, down: -2 }, closing: zero },
    days: [
      {
        date: '2026-03-02',
        sources: [{ source: name, client: 1, inbound: name, up: 1, down: 2 }],
        entries: [{ ...entry, what: name, by: name, up: -1, down: -2 }],
        balance: zero,
      },
    ],
  };
}

/** A reader of RFC 4180 by its grammar. */
function read(text: string): string[][] {
  const rows = text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|(?=\r\n)))+\r\n/g);
  return [...rows].map(([row]) =>
    [...row.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    ),
  );
}

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', 'a,b', '"quoted"', 'two\r\nlines', 'ok', ''])(
  'a name like %j is read as it is, and never as a formula',
  (name) => {
    const shown = /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
    expect(read(statementCsv(called(name)))).toStrictEqual([
      ['date', 'time', 'line', 'source', 'client', 'inbound', 'up', 'down', 'total', 'by', 'what', 'event'],
      ['2026-03-01', '', 'opening balance', '', '', '', '0', '0', '0', '', '', ''],
      ['2026-03-02', '', 'used', shown, '1', shown, '1', '2', '3', '', '', ''],
      [
        ...['2026-03-02', '2023-11-14 22:13:20Z', 'reset (by hand)', '', '1', ''],
        ...['-1', '-2', '-3', shown, shown, '7'],
      ],
      ['2026-03-31', '', 'closing balance', '', '', '', '0', '0', '0', '', '', ''],
    ]);
  },
);
