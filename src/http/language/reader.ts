import type { IncomingHttpHeaders } from 'node:http';
import { isTimeZone } from '../../lib/time/calendar.js';
import type { Text } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { languageOf } from './language.js';

/** The web panel sends the time zone of the browser in it, such as `Asia/Tehran`. */
const ZONE_HEADER = 'portolan-time-zone';
const MAX_ZONE_CHARS = 64;

/**
 * Renders texts in the language of a caller. The web panel gets times in its time zone and bytes to three digits; others
 * get times in UTC and all digits.
 */
export function rendererOf(headers: IncomingHttpHeaders): (text: Text) => string {
  const language = languageOf(headers);
  const zone = headers[ZONE_HEADER];
  return typeof zone === 'string' && zone.length <= MAX_ZONE_CHARS && isTimeZone(zone)
    ? (text) => render(text, language, zone, true)
    : (text) => render(text, language);
}
