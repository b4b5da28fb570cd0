import type { IncomingMessage } from 'node:http';

const TAB = /^[\w-]{1,64}$/;

/** The header in which a tab of the web panel sends its id; its WebSocket has it as the query parameter `tab`. */
const TAB_HEADER = 'portolan-tab';

const known = (tab: unknown): string => (typeof tab === 'string' && TAB.test(tab) ? tab : '');

export const tabOf = ({ headers }: IncomingMessage): string => known(headers[TAB_HEADER]);
export const tabOfSocket = ({ url = '' }: IncomingMessage): string =>
  known(new URLSearchParams(url.split('?')[1]).get('tab'));

/**
 * Who made a change, for the WebSocket: it notifies all others. Two tabs have one session but different authors. A caller
 * without a tab id is the same author in the whole session.
 */
export const authorOf = (idHash: string, tab: string): string => `${idHash} ${tab}`;
