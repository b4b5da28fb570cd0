import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isObject } from '../../lib/json.js';
import { addressesIn, appSchemes, isLink, isSafeText, linkSchemes } from '../../lib/net/links.js';
import { JsonError, parseJson } from '../../lib/parse-json.js';
import { isTimeZone } from '../../lib/time/calendar.js';
import { encoded, issue } from '../../messages/issue.js';

/** Schemas for the kinds of values that settings have. Each message completes the sentence "Setting webPort …". */
const PORT_RANGE = issue('input.notBetween', { min: 1, max: 65_535 });
export const port = z.int(issue('input.notWholeNumber')).min(1, PORT_RANGE).max(65_535, PORT_RANGE);

export const whole = (min: number, max: number, usual: number) =>
  z
    .int(issue('input.notWholeNumber'))
    .min(min, issue('input.notBetween', { min, max }))
    .max(max, issue('input.notBetween', { min, max }))
    .default(usual);

/** One line without control characters. */
export const line = (longest: number) =>
  z
    .string()
    .max(longest, issue('input.tooLong', { limit: longest }))
    .regex(/^\P{Cc}*$/u, issue('settings.notOneLine'));

/** One line of Latin-1 text that is sent in a response header. Proxies and apps limit its length. */
const headerText = (longest: number) =>
  z
    .string()
    .max(longest, issue('input.tooLong', { limit: longest }))
    .regex(/^[\x20-\x7e\xa0-\xff]*$/, issue('settings.notLatin1'));

/** One line of ASCII that is sent in a response header unchanged. */
const asciiText = (longest: number) =>
  z
    .string()
    .max(longest, issue('input.tooLong', { limit: longest }))
    .regex(/^[\x20-\x7e]*$/, issue('settings.notAscii'));

/** A URL path. Leading and trailing slashes are added. */
export const path = z
  .string()
  .max(200, issue('input.tooLong', { limit: 200 }))
  .regex(/^[\w\-./~]*$/, issue('settings.notUrlPath'))
  .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), issue('settings.pathClimbs'))
  .transform((value) => `/${value}/`.replace(/\/{2,}/g, '/'));

const isNameless = (value: string): boolean =>
  !URL.canParse(value) || new URL(value).username + new URL(value).password === '';

/** An http or https URL without credentials, or empty. */
export const url = z
  .string()
  .trim()
  .max(2048, issue('input.tooLong', { limit: 2048 }))
  .refine((value) => value === '' || isLink(value, ['http', 'https']), issue('settings.notHttpUrl'))
  .refine(isNameless, issue('settings.urlCredentials'));

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

/** The same with https; http only on this machine. */
export const httpsUrl = url.refine(
  (value) => !value.startsWith('http:') || isLoopback(new URL(value).hostname),
  issue('settings.notHttps'),
);

const MAX_URLS = 8;

/** Several of them, separated by commas. */
export const urls = z
  .string()
  .trim()
  .max(2048, issue('input.tooLong', { limit: 2048 }))
  .transform((value) => [...new Set(addressesIn(value))])
  .refine((list) => list.every((value) => isLink(value, ['http', 'https'])), issue('settings.notHttpUrl'))
  .refine((list) => list.every(isNameless), issue('settings.urlCredentials'))
  .refine((list) => list.length <= MAX_URLS, issue('input.tooManyEntries', { limit: MAX_URLS }))
  .transform((list) => list.join(', '));

/** A link for end users, also to a chat or a mailbox, or empty. It is sent in a response header. */
export const link = headerText(2000)
  .refine((value) => value === '' || isLink(value), issue('settings.notLink'))
  .refine(isNameless, issue('settings.urlCredentials'));

/** A text for end users. Their apps may turn URLs in it into links. */
export const prose = (longest: number) =>
  z
    .string()
    .max(longest, issue('input.tooLong', { limit: longest }))
    .refine((text) => isSafeText(text), issue('settings.linkSchemes', { schemes: linkSchemes }));

/** Configuration for apps, sent in a response header. */
export const appText = (longest: number) =>
  asciiText(longest).refine(
    (text) => isSafeText(text, appSchemes),
    issue('settings.linkSchemes', { schemes: appSchemes }),
  );

/** Maximum length of an invalid entry in a message. */
const MAX_SHOWN_CHARS = 64;
/** Each network is checked with each request. */
const MAX_NETWORKS = 256;

/** Addresses and networks: a list, or a text separated by commas. The message names an invalid entry. */
export const cidrs = z
  .union(
    [
      z.array(z.string()),
      z.string().transform((text) =>
        text
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean),
      ),
    ],
    issue('settings.notNetworks'),
  )
  .refine((entries) => entries.length <= MAX_NETWORKS, issue('input.tooManyEntries', { limit: MAX_NETWORKS }))
  .superRefine((entries, context) => {
    for (const entry of entries.slice(0, MAX_NETWORKS)) {
      const message = cidrProblem(entry);
      if (message !== null) context.addIssue({ code: 'custom', message });
    }
  });

function cidrProblem(entry: string): string | null {
  if (isIP(entry) !== 0) return null;
  const shown = entry.slice(0, MAX_SHOWN_CHARS);
  const network = networkOf(entry);
  if (network === null) return issue('settings.cidrInvalid', { cidr: shown });
  const [address = '', bits = ''] = entry.split('/');
  // An address may be written in more than one way.
  const same = ipaddr.parse(address).toString() === ipaddr.parse(network).toString();
  return same ? null : issue('settings.cidrInsideNetwork', { cidr: shown, network: `${network}/${bits}` });
}

/** The first address of a network; null for an invalid network. */
function networkOf(entry: string): string | null {
  if (!z.cidrv4().safeParse(entry).success && !z.cidrv6().safeParse(entry).success) return null;
  const [address] = ipaddr.parseCIDR(entry);
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(entry).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(entry).toString();
}

export const address = z.union([z.literal(''), z.ipv4(), z.ipv6()], issue('settings.notAddress'));

/** A host name, or empty. */
export const host = z
  .string()
  .max(253, issue('input.tooLong', { limit: 253 }))
  .regex(/^[\w.\-:[\]]*$/, issue('settings.notHost'));

/** An absolute path on this machine, or empty. */
export const file = z
  .string()
  .max(4096, issue('input.tooLong', { limit: 4096 }))
  .regex(/^(\/\P{Cc}*)?$/u, issue('settings.notAbsolutePath'));

/** JSON of the given kind as a text, or empty. */
export const jsonText = (kind: 'object' | 'list') =>
  z
    .string()
    .max(65_536, issue('input.tooLong', { limit: 65_536 }))
    .superRefine((text, { addIssue }) => {
      const problem = text.trim() === '' ? null : jsonProblem(text, kind);
      if (problem !== null) addIssue({ code: 'custom', message: problem });
    });

function jsonProblem(text: string, kind: 'object' | 'list'): string | null {
  try {
    const value = parseJson(text);
    return (kind === 'list' ? Array.isArray(value) : isObject(value))
      ? null
      : issue(kind === 'list' ? 'settings.notJsonList' : 'settings.notJsonObject');
  } catch (error) {
    if (error instanceof JsonError) return encoded(error.text);
    throw error;
  }
}

/** A time zone of the IANA database, or `Local` for the zone of the machine. */
export const timeZone = z
  .string()
  .refine((name) => name === 'Local' || isTimeZone(name), issue('settings.timeZoneUnknown'));

const CRON_FIELD = String.raw`[\d*/,\-?A-Za-z#]+`;
const SCHEDULE = new RegExp(
  String.raw`^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|@every (\d+h)?(\d+m)?(\d+s)?(?<!every )|(${CRON_FIELD} ){4,5}${CRON_FIELD})$`,
);

/** A schedule: five or six cron fields, a name such as `@daily`, or `@every 1h30m`. */
export const schedule = z
  .string()
  .trim()
  .max(100, issue('input.tooLong', { limit: 100 }))
  .regex(SCHEDULE, issue('settings.notSchedule'));

/** A schedule, or empty = never. */
export const optionalSchedule = z
  .string()
  .trim()
  .max(100, issue('input.tooLong', { limit: 100 }))
  .refine((text) => text === '' || SCHEDULE.test(text), issue('settings.notSchedule'));
