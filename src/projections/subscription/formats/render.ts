import { subscriptionBody } from '../body.js';
import { linkUrls, type ShareLink } from '../share-link.js';
import { clashDocument, emptyClashDocument } from './clash.js';
import type { Format } from './format.js';
import { emptySingBoxProfile, singBoxProfile } from './sing-box.js';
import { type XrayExtras, xrayConfigs } from './xray.js';

interface FormatSettings extends XrayExtras {
  readonly subEncrypt: boolean;
  readonly apiDialect: 'spec' | '3x-ui';
}

export interface Rendered {
  readonly type: string;
  readonly body: string;
  /** The format supports none of the links: the body is valid but has no server. */
  readonly isEmpty: boolean;
}

/** A subscription in a format. */
export function renderLinks(links: readonly ShareLink[], format: Format, settings: FormatSettings): Rendered {
  switch (format) {
    case 'xray': {
      const configs = xrayConfigs(links, settings);
      // 3x-ui returns a single configuration without an array.
      const bare = settings.apiDialect === '3x-ui' && configs.length === 1;
      return jsonOf(bare ? configs[0] : configs, configs.length === 0);
    }
    case 'clash': {
      const body = clashDocument(links);
      const type = 'application/yaml; charset=utf-8';
      return { type, body: body ?? emptyClashDocument(links), isEmpty: body === null };
    }
    case 'sing-box': {
      const profile = singBoxProfile(links);
      return jsonOf(profile ?? emptySingBoxProfile(), profile === null);
    }
    default: {
      const base64 = format === 'base64' || (format === 'links' && settings.subEncrypt);
      const urls = linkUrls(links);
      const body = subscriptionBody(urls, base64);
      return { type: 'text/plain; charset=utf-8', body, isEmpty: urls.length === 0 };
    }
  }
}

function jsonOf(value: unknown, isEmpty: boolean): Rendered {
  // Without white space, because indentation would multiply the size.
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(value), isEmpty };
}
