/** A sentence of ours in the language of the page. */
export type Say = (text: string) => string;

/** What the script of the panel says, by the names that it has there. */
const words = {
  silent: 'The panel does not answer.',
  sure: 'Are you sure?',
  remove: 'Delete',
  notJson: 'This is not JSON.',
  reset: 'Reset traffic',
  copy: 'Copy link',
  copied: 'The link is copied.',
  links: 'Links',
  why: 'Why?',
  remedies: 'What would change it',
  story: 'What happened',
  set: 'set',
  notSet: 'not set',
  takeAway: 'Take away',
  overridden: 'Overridden by',
  unchanged: 'Nothing has changed.',
  mayConnect: 'May connect',
  mayNot: 'May not connect',
  askNow: 'Ask now',
  noUrl: 'This is not the address of a panel.',
  online: 'online',
  offline: 'offline',
  unknown: 'not asked yet',
  onTheWay: 'changes on the way',
  none: 'none',
  replace: 'Everything in this panel is replaced by the file, and everybody has to log in again.',
} as const;

/** The same as a text of JSON, safe inside an attribute between double quotes. */
export function scriptWords(t: Say): string {
  const told = Object.keys(words).map((name) => [name, t(words[name as keyof typeof words])]);
  return JSON.stringify(Object.fromEntries(told)).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
