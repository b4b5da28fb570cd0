import type { IncomingHttpHeaders } from 'node:http';
import { isTimeZone } from '../../lib/time/calendar.js';
import type { Language } from '../../messages/language.js';
import type { Text } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { languageOf } from './language.js';

/** The web panel sends the time zone of the browser in it, such as `Asia/Tehran`. */
const ZONE_HEADER = 'portolan-time-zone';
const MAX_ZONE_CHARS = 64;

/** For whom texts are rendered. */
export interface Reader {
  readonly language: Language;
  /** The time zone of the browser; null for a program, which gets times in UTC and bytes with all digits. */
  readonly zone: string | null;
}

/** `zone`: the one that a WebSocket names, because a browser cannot send headers with its upgrade request. */
export function readerOf(headers: IncomingHttpHeaders, zone: unknown = headers[ZONE_HEADER]): Reader {
  const isKnown = typeof zone === 'string' && zone.length <= MAX_ZONE_CHARS && isTimeZone(zone);
  return { language: languageOf(headers), zone: isKnown ? zone : null };
}

/** The web panel gets times in its time zone and bytes to three digits. */
export const renderFor = (text: Text, { language, zone }: Reader): string =>
  zone === null ? render(text, language) : render(text, language, zone, true);

/** Renders texts for the caller of a request. */
export function rendererOf(headers: IncomingHttpHeaders): (text: Text) => string {
  const reader = readerOf(headers);
  return (text) => renderFor(text, reader);
}
