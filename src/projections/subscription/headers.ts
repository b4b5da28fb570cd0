import type { Settings } from '../../events/settings/settings.js';
import { appSchemes, safeLink, safeText } from '../../lib/net/links.js';
import { percentEncoded } from './percent.js';
import { type ClientUsage, totalUsage } from './usage.js';

export interface SubscriptionHeaders {
  readonly settings: Pick<
    Settings,
    | 'subTitle'
    | 'subSupportUrl'
    | 'subProfileUrl'
    | 'subAnnounce'
    | 'subUpdates'
    | 'subEnableRouting'
    | 'subRoutingRules'
  >;
  /** URL of the subscription itself: its page, unless the settings name another. */
  readonly url: string;
  /** The URLs of the same subscription at other addresses. */
  readonly otherUrls?: readonly string[];
  /** File name for browsers and Clash apps. */
  readonly fileName?: string;
}

/** Proxies in front of the panel reject longer headers. */
const MAX_VALUE_CHARS = 4096;
const DEFAULT_HOURS = 12;

/** The value of `Subscription-Userinfo`. `clients`: all of the subscription, including those that may not connect. */
export function usageHeader(clients: readonly ClientUsage[]): string {
  const { up, down, capBytes, expiresAt } = totalUsage(clients);
  const seconds = Math.floor(Math.max(expiresAt, 0) / 1000);
  return `upload=${up}; download=${down}; total=${capBytes}; expire=${seconds}`;
}

/** The other headers that client apps read. All values are printable ASCII; others are left out. */
export function subscriptionHeaders(input: SubscriptionHeaders): Record<string, string> {
  const { settings } = input;
  const { subUpdates: hours } = settings;
  const headers = {
    // Hours, as every app reads it, and whole ones, as some insist.
    'Profile-Update-Interval': String(Number.isSafeInteger(hours) && hours > 0 ? hours : DEFAULT_HOURS),
    'Profile-Web-Page-Url': urlValue(safeLink(settings.subProfileUrl)) || urlValue(safeLink(input.url)),
    // Happ fetches from this one when it cannot reach its own. It reads one only; other apps read none.
    'Fallback-Url': urlValue(safeLink(input.otherUrls?.[0] ?? '')),
    'Support-Url': urlValue(safeLink(settings.subSupportUrl)),
    'Profile-Title': base64Value(settings.subTitle),
    Announce: base64Value(safeText(settings.subAnnounce)),
    'Routing-Enable': String(settings.subEnableRouting === true),
    Routing: plainValue(safeText(settings.subRoutingRules, appSchemes)),
    'Content-Disposition': fileValue(input.fileName ?? ''),
  };
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== '' && value.length <= MAX_VALUE_CHARS),
  );
}

/** `base64:` and the text; empty for an empty text. */
function base64Value(text: string): string {
  return text === '' ? '' : `base64:${Buffer.from(text).toString('base64')}`;
}

function plainValue(text: string): string {
  const value = text.trim();
  return /^[\x20-\x7e]*$/.test(value) ? value : '';
}

/** A URL with non-ASCII characters percent-encoded. */
function urlValue(text: string): string {
  return plainValue(text.trim().replace(/[^\0-\x7f]+/g, percentEncoded));
}

/** RFC 6266: quotes hold ASCII only, so the name is in the extended form. */
function fileValue(name: string): string {
  return name === '' ? '' : `attachment; filename*=UTF-8''${percentEncoded(name)}`;
}
