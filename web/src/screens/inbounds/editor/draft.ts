import type { InboundForm } from '../../../api/contract.generated';
import { isObject, type JsonObject } from '../../../model/json';

/** An inbound while it is edited. What the form has no field for stays in the objects as it is. */
export interface Draft {
  readonly remark: string;
  readonly enable: boolean;
  /** The node whose core listens; 0 = this panel. Fixed once the inbound exists. */
  readonly nodeId: number;
  /** The member of the cluster whose core listens; absent without a cluster, and in a new inbound: the one that answers. */
  readonly machine?: string;
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

/** Why a text of the JSON tab is not a draft: the key of a text. */
export type JsonProblem = 'notJson' | 'import.wrong';

/** A text of the JSON tab as a draft, or why it is not one. */
export function parseDraft(text: string, before: Draft): Draft | JsonProblem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return 'notJson';
    throw error;
  }
  if (!isObject(value)) return 'import.wrong';
  const draft = { ...before, ...value } as Draft;
  const { settings, streamSettings, sniffing, protocol, remark, listen } = draft;
  const areTexts = [protocol, remark, listen].every((one) => typeof one === 'string');
  return areTexts && [settings, streamSettings, sniffing].every(isObject) ? draft : 'import.wrong';
}
