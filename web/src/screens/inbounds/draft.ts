import type { InboundForm } from '../../api/contract.generated';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/** An inbound while it is edited. What the form has no field for stays in the objects as it is. */
export interface Draft {
  readonly remark: string;
  readonly enable: boolean;
  /** The node whose core listens; 0 = this panel. Fixed once the inbound exists. */
  readonly nodeId: number;
  readonly listen: string;
  readonly port: number;
  readonly protocol: string;
  /** Empty = the panel chooses one. */
  readonly tag: string;
  readonly total: number;
  readonly expiryTime: number;
  readonly trafficReset: InboundForm['trafficReset'];
  /** Without the clients, which have a screen of their own. */
  readonly settings: JsonObject;
  readonly streamSettings: JsonObject;
  readonly sniffing: JsonObject;
}

/** An inbound as a draft. */
export function draftOf({ id: _id, version: _version, clients: _clients, ...form }: InboundForm): Draft {
  const { settings, streamSettings, sniffing } = form;
  return {
    ...form,
    settings: settings as JsonObject,
    streamSettings: streamSettings as JsonObject,
    sniffing: sniffing as JsonObject,
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

/** A text of the JSON tab as a draft; null when it is not one. */
export function parseDraft(text: string, before: Draft): Draft | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isObject(value)) return null;
  const draft = { ...before, ...value } as Draft;
  const { settings, streamSettings, sniffing, protocol, remark, listen } = draft;
  const areTexts = [protocol, remark, listen].every((one) => typeof one === 'string');
  return areTexts && [settings, streamSettings, sniffing].every(isObject) ? draft : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** The draft with another value at a path; undefined removes it. Missing objects and lists on the way are made. */
export function withValue(draft: Draft, path: string, value: Json | undefined): Draft {
  return replaced(draft, path.split('.'), value) as Draft;
}

function replaced(target: unknown, [name = '', ...rest]: readonly string[], value: Json | undefined): unknown {
  const isIndex = /^\d+$/.test(name);
  const known = typeof target === 'object' && target !== null ? target : isIndex ? [] : {};
  const inner = (known as Readonly<Record<string, unknown>>)[name];
  if (value === undefined && inner === undefined) return target;
  const next = rest.length === 0 ? value : replaced(inner, rest, value);
  if (Array.isArray(known)) {
    if (next === undefined) return known.filter((_, index) => String(index) !== name);
    return Object.assign([...known], { [name]: next });
  }
  if (next !== undefined) return { ...known, [name]: next };
  return Object.fromEntries(Object.entries(known).filter(([key]) => key !== name));
}
