import { message, type Text } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';

/** The result of one check. */
export interface Finding {
  readonly what: Text;
  readonly ok: boolean;
  readonly detail: Text;
  /** A problem that the operator should know, and not an error in the data. */
  readonly note?: true;
}

export const good = (what: Text, detail: Text): Finding => ({ what, ok: true, detail });
export const note = (what: Text, detail: Text): Finding => ({ what, ok: false, note: true, detail });
export const bad = (what: Text, detail: Text): Finding => ({ what, ok: false, detail });

/** A line for the terminal. Only `BAD` makes the command fail. */
export function line({ what, ok, detail, note: noted }: Finding, say: Say): string {
  return `${ok ? 'ok  ' : noted ? 'NOTE' : 'BAD '} ${say(message('cli.checkLine', { what, detail }))}`;
}
