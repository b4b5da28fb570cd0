import type { Inbound } from '../../api/contract.generated';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/** An inbound while it is edited. What the form has no field for stays in the objects as it is. */
export interface Draft {
  readonly remark: string;
  readonly enable: boolean;
  readonly listen: string;
  readonly port: number;
  readonly protocol: string;
  readonly total: number;
  readonly expiryTime: number;
  readonly trafficReset: Inbound['trafficReset'];
  /** Without the clients, which have a screen of their own. */
  readonly settings: JsonObject;
  readonly streamSettings: JsonObject;
  readonly sniffing: JsonObject;
}

const objectOf = (text: string): JsonObject => (text === '' ? {} : (JSON.parse(text) as JsonObject));

/** An inbound as a draft. */
export function draftOf(inbound: Inbound): Draft {
  const { remark, enable, listen, port, protocol, total, expiryTime, trafficReset } = inbound;
  const { clients: _clients, ...settings } = objectOf(inbound.settings);
  return {
    ...{ remark, enable, listen, port, protocol, total, expiryTime, trafficReset, settings },
    streamSettings: objectOf(inbound.streamSettings),
    sniffing: objectOf(inbound.sniffing),
  };
}

/** The draft as the API takes it. Settings that name no clients leave them as they are. */
export function bodyOf({ settings, streamSettings, sniffing, ...others }: Draft) {
  return {
    ...others,
    settings: JSON.stringify(settings),
    streamSettings: JSON.stringify(streamSettings),
    sniffing: JSON.stringify(sniffing),
  };
}

/** The value at a path such as `streamSettings.realitySettings.shortIds`; undefined when it is not there. */
export function valueAt(draft: Draft, path: string): Json | undefined {
  let value: unknown = draft;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
}

/** The draft with another value at a path. Objects and lists on the way are made where they are missing. */
export function withValue(draft: Draft, path: string, value: Json): Draft {
  return replaced(draft, path.split('.'), value) as Draft;
}

function replaced(target: unknown, [name = '', ...rest]: readonly string[], value: Json): unknown {
  const isIndex = /^\d+$/.test(name);
  const known = typeof target === 'object' && target !== null ? target : isIndex ? [] : {};
  const inner = (known as Readonly<Record<string, unknown>>)[name];
  const next = rest.length === 0 ? value : replaced(inner, rest, value);
  if (Array.isArray(known)) return Object.assign([...known], { [name]: next });
  return { ...known, [name]: next };
}
