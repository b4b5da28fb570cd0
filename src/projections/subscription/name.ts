import { type Client, mayConnect } from '../../events/client/client-document.js';

/** The parts of a link's name. */
interface NameParts {
  /** The remark of the inbound. */
  readonly inbound: string;
  readonly email: string;
  /** The remark of the external proxy. */
  readonly other: string;
}

const FALLBACK_MODEL = '-ieo';
/** Control characters, line and paragraph separators, lone surrogates, and characters that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The name in a client app. The first character of the model is the separator, its letters are the parts in their order:
 * `i`nbound, `e`mail, `o`ther. `about` follows the name. It may be empty.
 */
export function linkName(model: string, parts: NameParts, about: readonly string[]): string {
  const [separator = '', ...letters] = model === '' ? FALLBACK_MODEL : model;
  const byLetter: Readonly<Record<string, string>> = { i: parts.inbound, e: parts.email, o: parts.other };
  const name = [...letters.map((letter) => byLetter[letter] ?? ''), ...about]
    .filter((part) => part !== '')
    .join(separator)
    .replace(UNPRINTABLE, '')
    // One app rejects every name with an encoded percent sign.
    .replaceAll('%', '％');
  return name.trim() === '' ? '' : name;
}

/** Remaining traffic and time of a client, for its first link, without unlimited ones. `now` in ms since 1970. */
export function remainder(
  { spec }: Client,
  usage: { readonly up: number; readonly down: number },
  now: number,
): readonly string[] {
  const parts: string[] = [];
  const bytes = spec.capBytes - usage.up - usage.down;
  if (bytes > 0) parts.push(`${formatBytes(bytes)}📊`);
  if (spec.expiresAt !== 0) parts.push(`${formatTerm(spec.expiresAt > 0 ? spec.expiresAt - now : -spec.expiresAt)}⏳`);
  return parts;
}

/** Prefix of the name of a client that may not connect; otherwise empty. */
export function stopMark(client: Client, model: string): string {
  const [separator = ''] = model || FALLBACK_MODEL;
  return mayConnect(client) ? '' : `⛔️N/A${separator.replace(UNPRINTABLE, '')}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `7.00GB`, in steps of 1024. */
function formatBytes(bytes: number): string {
  let size = Math.max(bytes, 0);
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${size.toFixed(2)}${UNITS[unit]}`;
}

/** `3D,4H`, `3D`, `5H` or `12M`; never negative. */
function formatTerm(milliseconds: number): string {
  const minutes = Math.floor(Math.max(milliseconds, 0) / 60_000);
  const hours = Math.floor(minutes / 60) % 24;
  const days = Math.floor(minutes / 1440);
  if (days > 0) return hours > 0 ? `${days}D,${hours}H` : `${days}D`;
  return hours > 0 ? `${hours}H` : `${minutes}M`;
}
