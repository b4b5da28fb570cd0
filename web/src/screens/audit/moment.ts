import { isDate } from '../../model/calendar';

/** How a moment is chosen. */
export type MomentKind = 'now' | 'time' | 'position' | 'backup' | 'file';

/** A moment as the form has it. `text`: a local time, a position, or the name of a backup. */
export interface Chosen {
  readonly kind: MomentKind;
  readonly text: string;
}

const BACKUP = 'backup:';
/** A backup that the admin sends, as the API names it. */
export const UPLOAD = 'upload';

/** Whether a side is a backup, which the panel reads as a whole. */
export const isBackup = (value: string): boolean => value === UPLOAD || value.startsWith(BACKUP);

/** The value of a date field in the time zone of the browser, with seconds. */
export function localTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The moment of an address: empty, a position, `backup:` with a name, `upload`, or a time in ISO 8601. */
export function chosenOf(value: string, empty: MomentKind): Chosen {
  if (value === '') return { kind: empty, text: '' };
  if (value === UPLOAD) return { kind: 'file', text: '' };
  if (/^\d+$/.test(value)) return { kind: 'position', text: value };
  if (value.startsWith(BACKUP)) return { kind: 'backup', text: value.slice(BACKUP.length) };
  const at = Date.parse(value);
  return { kind: 'time', text: Number.isNaN(at) ? '' : localTime(at) };
}

/** What the address has for a moment; empty = now, or nothing was chosen. */
export function addressOf({ kind, text }: Chosen): string {
  if (kind === 'file') return UPLOAD;
  const value = text.trim();
  if (kind === 'now' || value === '') return '';
  if (kind === 'backup') return `${BACKUP}${value}`;
  if (kind === 'position') return value;
  return isDate(value) ? new Date(value).toISOString() : '';
}
