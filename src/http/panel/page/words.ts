import type { MessageCode } from '../../../messages/message.js';

/** A text in the language of the page. */
export type Say = (code: Extract<MessageCode, `page.${string}`>) => string;

/** The texts of the script, by their names in the script. */
const words = {
  silent: 'page.panelNotResponding',
  sure: 'page.confirmTitle',
  remove: 'page.delete',
  notJson: 'page.notJson',
  reset: 'page.resetTraffic',
  copy: 'page.copyLink',
  copied: 'page.linkCopied',
  links: 'page.links',
  why: 'page.why',
  remedies: 'page.remedies',
  story: 'page.history',
  set: 'page.set',
  notSet: 'page.notSet',
  takeAway: 'page.remove',
  overridden: 'page.overriddenBy',
  unchanged: 'page.unchanged',
  mayConnect: 'page.mayConnect',
  mayNot: 'page.mayNotConnect',
  askNow: 'page.checkNow',
  noUrl: 'page.notUrl',
  online: 'page.online',
  offline: 'page.offline',
  unknown: 'page.notChecked',
  onTheWay: 'page.changesPending',
  none: 'page.none',
  replace: 'page.confirmImport',
} as const;

/** The same as JSON, escaped for a double-quoted attribute. */
export function scriptWords(t: Say): string {
  const entries = Object.keys(words).map((name) => [name, t(words[name as keyof typeof words])]);
  return JSON.stringify(Object.fromEntries(entries)).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
