import { csvLine } from '../../lib/csv.js';
import { timeText } from '../../lib/words.js';
import type { Rendered } from '../../messages/rendered.js';
import type { Statement } from './statement.js';

const HEADER = ['date', 'time', 'line', 'source', 'client', 'inbound', 'up', 'down', 'total', 'by', 'what', 'event'];

/**
 * A statement as CSV (RFC 4180, UTF-8): one line for each source and entry of a day, between the opening and the closing
 * balance. The lines between add up to the difference. Bytes; `time` is UTC.
 */
export function statementCsv({ from, to, opening, closing, days }: Rendered<Statement>): string {
  const balance = (date: string, line: string, { up, down }: { up: number; down: number }) => [
    ...[date, '', line, '', '', '', up, down, up + down, '', '', ''],
  ];
  const rows: (string | number)[][] = [HEADER, balance(from, 'opening balance', opening)];
  for (const { date, sources, entries } of days) {
    for (const { source, client, inbound, up, down } of sources)
      rows.push([date, '', 'used', source, client, inbound, up, down, up + down, '', '', '']);
    for (const { at, kind, rule, client, up, down, by, what, position } of entries) {
      const line = rule === '' ? kind : `${kind} (${rule})`;
      rows.push([date, timeText(at), line, '', client, '', up, down, up + down, by, what, position]);
    }
  }
  rows.push(balance(to, 'closing balance', closing));
  return rows.map(csvLine).join('');
}
