import { expect, it } from 'vitest';
import type { Rendered } from '../../../src/messages/rendered.js';
import type { Statement } from '../../../src/projections/statement/statement.js';
import { statementCsv } from '../../../src/projections/statement/statement-csv.js';
import { T0 } from '../../kit/builders.js';

const zero = { up: 0, down: 0 };

/** A statement in which every name that a user can choose is `name`. */
function called(name: string): Rendered<Statement> {
  const entry = { at: T0, position: 7, client: 1, kind: 'reset' as const, rule: 'manual' as const };
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

const names: readonly (readonly [name: string, shown: string])[] = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '  "=1', '\uff1d1', "'=1"].map((name) => [name, `'${name}`] as const),
  ...['a,b', '"quoted"', 'ok', '', 'a;b', 'a - b', 'a|b', 'Zoë +1', 'é@x.org'].map((name) => [name, name] as const),
  ['x;=cmd', "x;'=cmd"],
  ['x; "=cmd";+1', `x;' "=cmd";'+1`],
  ['x,@a|-b', "x,'@a|'-b"],
  ['=a;=b', "'=a;'=b"],
  ['\t=1', String.raw`\u0009=1`],
  ['x\t=cmd', String.raw`x\u0009=cmd`],
  ['two\r\nlines', String.raw`two\u000d\u000alines`],
  ['\u202emoc.elpmaxe', String.raw`\u202emoc.elpmaxe`],
  ['a\u200bb\u0000', String.raw`a\u200bb\u0000`],
];

it.each(names)('a name like %j is shown as %j, and never evaluated as a formula', (name, shown) => {
  const csv = statementCsv(called(name));
  expect(read(csv)).toStrictEqual([
    ['date', 'time', 'line', 'source', 'client', 'inbound', 'up', 'down', 'total', 'by', 'what', 'event'],
    ['2026-03-01', '', 'opening balance', '', '', '', '0', '0', '0', '', '', ''],
    ['2026-03-02', '', 'used', shown, '1', shown, '1', '2', '3', '', '', ''],
    ['2026-03-02', '2023-11-14 22:13:20Z', 'reset (manual)', '', '1', '', '-1', '-2', '-3', shown, shown, '7'],
    ['2026-03-31', '', 'closing balance', '', '', '', '0', '0', '0', '', '', ''],
  ]);
  // Nor for a spreadsheet that splits at something else, with quotes or without.
  const separators = /[;|\t\r\n]/;
  for (const part of csv.split(separators)) expect(part.replace(/^[\s"]+/, '')).not.toMatch(/^[=+@-]/);
});
