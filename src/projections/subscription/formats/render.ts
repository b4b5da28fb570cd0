import { subscriptionBody } from '../body.js';
import { linkUrl, type ShareLink } from '../share-link.js';
import { clashDocument } from './clash.js';
import type { Format } from './format.js';
import { singBoxProfile } from './sing-box.js';
import { type XrayExtras, xrayConfigs } from './xray.js';

export interface FormatSettings extends XrayExtras {
  readonly subEncrypt: boolean;
  readonly apiDialect: 'spec' | '3x-ui';
}

export interface Rendered {
  readonly type: string;
  readonly body: string;
}

/** A subscription in one of its forms; null when no link can be said in it. */
export function renderLinks(links: readonly ShareLink[], format: Format, settings: FormatSettings): Rendered | null {
  switch (format) {
    case 'xray': {
      const configs = xrayConfigs(links, settings);
      // 3x-ui gives a single configuration bare.
      const bare = settings.apiDialect === '3x-ui' && configs.length === 1;
      return configs.length === 0 ? null : jsonOf(bare ? configs[0] : configs);
    }
    case 'clash': {
      const body = clashDocument(links);
      return body === null ? null : { type: 'application/yaml; charset=utf-8', body };
    }
    case 'sing-box': {
      const profile = singBoxProfile(links);
      return profile === null ? null : jsonOf(profile);
    }
    default: {
      const base64 = format === 'base64' || (format === 'links' && settings.subEncrypt);
      return { type: 'text/plain; charset=utf-8', body: subscriptionBody(links.map(linkUrl), base64) };
    }
  }
}

function jsonOf(value: unknown): Rendered {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(value, null, 2) };
}
