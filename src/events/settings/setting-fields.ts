import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isObject } from '../../lib/json.js';
import { appSchemes, isLink, isSafeText, linkSchemes } from '../../lib/net/links.js';
import { JsonFlaw, parseJson } from '../../lib/parse-json.js';

/** The kinds of value that settings have. Every message completes the sentence "Setting webPort …". */
export const port = z.int('must be a whole number').min(1, 'must be 1 to 65535').max(65_535, 'must be 1 to 65535');

export const whole = (min: number, max: number, usual: number) =>
  z
    .int('must be a whole number')
    .min(min, `must be ${min} to ${max}`)
    .max(max, `must be ${min} to ${max}`)
    .default(usual);

/** One line without control characters. */
export const line = (longest: number) =>
  z
    .string()
    .max(longest, `may have ${longest} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line');

/** One line of Latin-1 text: it ends up in a response header, of which proxies and apps take only so much. */
export const headerText = (longest: number) =>
  z
    .string()
    .max(longest, `may have ${longest} characters`)
    .regex(/^[\x20-\x7e\xa0-\xff]*$/, 'must be one line of Latin-1 text');

/** One line that is sent in a response header as it is. */
export const asciiText = (longest: number) =>
  z
    .string()
    .max(longest, `may have ${longest} characters`)
    .regex(/^[\x20-\x7e]*$/, 'must be one line of ASCII text');

/** A path of the address bar; gets its slashes on both ends. */
export const path = z
  .string()
  .max(200, 'may have 200 characters')
  .regex(/^[\w\-./~]*$/, 'may hold letters, digits and - . _ ~ / only')
  .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), 'may not climb with . or ..')
  .transform((value) => `/${value}/`.replace(/\/{2,}/g, '/'));

const isNameless = (value: string): boolean =>
  !URL.canParse(value) || new URL(value).username + new URL(value).password === '';

/** An http or https address without a user name; or nothing. */
export const url = z
  .string()
  .trim()
  .max(2048, 'may have 2048 characters')
  .refine((value) => value === '' || isLink(value, ['http', 'https']), 'must be a http:// or https:// address')
  .refine(isNameless, 'must not hold a user name or password');

/** A link for end users, also to a chat or a mailbox; or nothing. It ends up in a response header, too. */
export const link = headerText(2000)
  .refine((value) => value === '' || isLink(value), 'must be a https://, http://, tg:// or mailto: address')
  .refine(isNameless, 'must not hold a user name or password');

/** A text for end users, whose apps may make links of the addresses in it. */
export const prose = (longest: number) =>
  z
    .string()
    .max(longest, `may have ${longest} characters`)
    .refine((text) => isSafeText(text), `may name addresses only that begin with ${linkSchemes.join(', ')}`);

/** A text by which apps set themselves up, in a response header. */
export const appText = (longest: number) =>
  asciiText(longest).refine(
    (text) => isSafeText(text, appSchemes),
    `may name addresses only that begin with ${appSchemes.join(', ')}`,
  );

/** Characters of a wrong entry that are shown. */
const SHOWN = 64;
/** Each costs time with each request. */
const MOST_NETWORKS = 256;

/** Addresses and networks: a list, or the same as one text with commas. The entry that is neither is named. */
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
    'must be addresses or networks such as 10.0.0.0/8',
  )
  .refine((entries) => entries.length <= MOST_NETWORKS, `may have ${MOST_NETWORKS} entries`)
  .superRefine((entries, context) => {
    for (const entry of entries.slice(0, MOST_NETWORKS)) {
      const message = cidrFlaw(entry);
      if (message !== null) context.addIssue({ code: 'custom', message });
    }
  });

function cidrFlaw(entry: string): string | null {
  if (isIP(entry) !== 0) return null;
  const shown = entry.slice(0, SHOWN);
  const network = networkOf(entry);
  if (network === null) return `trusted proxy CIDR is not valid: ${shown}`;
  const [address = '', bits = ''] = entry.split('/');
  // Two spellings of one address are the same bytes.
  const same = ipaddr.parse(address).toString() === ipaddr.parse(network).toString();
  return same ? null : `trusted proxy CIDR is not valid: ${shown} is an address inside of ${network}/${bits}`;
}

/** The first address of a network; null for what is no network. */
function networkOf(entry: string): string | null {
  if (!z.cidrv4().safeParse(entry).success && !z.cidrv6().safeParse(entry).success) return null;
  const [address] = ipaddr.parseCIDR(entry);
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(entry).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(entry).toString();
}

export const address = z.union([z.literal(''), z.ipv4(), z.ipv6()], 'must be an IP address or empty');

/** The name of a host for people and certificates; or nothing. */
export const host = z
  .string()
  .max(253, 'may have 253 characters')
  .regex(/^[\w.\-:[\]]*$/, 'must be the name of a host');

/** A whole path of this machine; or nothing. */
export const file = z
  .string()
  .max(4096, 'may have 4096 characters')
  .regex(/^(\/\P{Cc}*)?$/u, 'must be a whole path that begins with /');

/** JSON of the given kind as a text; or nothing. */
export const jsonText = (kind: 'object' | 'list') =>
  z
    .string()
    .max(65_536, 'may have 65536 characters')
    .superRefine((text, { addIssue }) => {
      const flaw = text.trim() === '' ? null : jsonFlaw(text, kind);
      if (flaw !== null) addIssue({ code: 'custom', message: flaw });
    });

function jsonFlaw(text: string, kind: 'object' | 'list'): string | null {
  try {
    const value = parseJson(text);
    return (kind === 'list' ? Array.isArray(value) : isObject(value)) ? null : `must be empty or JSON (${kind})`;
  } catch (error) {
    if (error instanceof JsonFlaw) return error.message;
    throw error;
  }
}

/** A time zone of the IANA database, or `Local` for that of the machine. */
export const timeZone = z.string().refine((name) => name === 'Local' || isTimeZone(name), 'is not a known time zone');

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}

const CRON_FIELD = String.raw`[\d*/,\-?A-Za-z#]+`;
const SCHEDULE = new RegExp(
  String.raw`^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|@every (\d+h)?(\d+m)?(\d+s)?(?<!every )|(${CRON_FIELD} ){4,5}${CRON_FIELD})$`,
);

/** When to do something again: five or six cron fields, `@daily` and its like, or `@every 1h30m`. */
export const schedule = z
  .string()
  .trim()
  .max(100, 'may have 100 characters')
  .regex(SCHEDULE, 'must be five or six cron fields, @daily, @hourly, … or @every 30m');

/** The same, or nothing: never. */
export const optionalSchedule = z
  .string()
  .trim()
  .max(100, 'may have 100 characters')
  .refine(
    (text) => text === '' || SCHEDULE.test(text),
    'must be five or six cron fields, @daily, @hourly, … or @every 30m',
  );
