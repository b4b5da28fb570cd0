import type { Gets } from '../../api/contract.generated';
import { isDate } from '../../model/calendar';

/** How a moment is chosen. */
export type MomentKind = 'now' | 'time' | 'position' | 'backup';

/** A moment as the form has it. `text`: a local time, a position, or the name of a backup. */
export interface Chosen {
  readonly kind: MomentKind;
  readonly text: string;
}

type Backups = Gets['/panel/api/server/backups']['reply'];

const BACKUP = 'backup:';

/** The value of a date field in the time zone of the browser, with seconds. */
export function localTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The moment of an address: empty, a position, `backup:` with a name, or a time in ISO 8601. */
export function chosenOf(value: string, empty: MomentKind): Chosen {
  if (value === '') return { kind: empty, text: '' };
  if (/^\d+$/.test(value)) return { kind: 'position', text: value };
  if (value.startsWith(BACKUP)) return { kind: 'backup', text: value.slice(BACKUP.length) };
  const at = Date.parse(value);
  return { kind: 'time', text: Number.isNaN(at) ? '' : localTime(at) };
}

/** What the address has for a moment; empty = now, or nothing was chosen. */
export function addressOf({ kind, text }: Chosen): string {
  const value = text.trim();
  if (kind === 'now' || value === '') return '';
  if (kind === 'backup') return `${BACKUP}${value}`;
  if (kind === 'position') return value;
  return isDate(value) ? new Date(value).toISOString() : '';
}

/**
 * The moment as the API takes it. A backup of this panel has the state of the log when it was made. Null: the backup is not
 * known.
 */
export function momentOf(value: string, backups: Backups | undefined): string | null {
  if (!value.startsWith(BACKUP)) return value;
  const name = value.slice(BACKUP.length);
  if (backups?.lastGood?.name === name) return String(backups.lastGood.position);
  const file = backups?.files.find((one) => one.name === name);
  return file ? new Date(file.at).toISOString() : null;
}
