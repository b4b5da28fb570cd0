import type { Client } from '../../events/client/client-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Node } from '../../events/node/node-document.js';
import { sameJson } from '../../lib/json.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../core/template.js';
import type { ReadModels } from '../read-models.js';
import { accessDocument, accessSources } from './access-documents.js';
import type { MomentDocument, Noun, Shown } from './moment-document.js';

const NOTHING: ReadonlySet<string> = new Set();
/** Personal fields of a client, which one data key seals. */
export const PERSONAL: ReadonlySet<string> = new Set(['email', 'comment', 'tgId', 'extra', 'subId', 'credential']);
/** The configuration of an inbound after its data key was destroyed. */
const ERASED_CONFIG = { settings: {}, stream: null };

type Read = Pick<ReadModels, 'clients' | 'inbounds' | 'nodes' | 'settings' | 'admins' | 'records'>;

/** The documents of a noun by number or name, as the read models have them. Later events do not change the list. */
export function sourcesOf(read: Read, noun: Noun): readonly (readonly [key: number | string, source: unknown])[] {
  switch (noun) {
    case 'inbound':
      return read.inbounds.all().map((inbound) => [inbound.id, inbound]);
    case 'client':
      return [...read.clients.all()].map((client) => [client.number, client]);
    case 'node':
      return read.nodes.all().map((node) => [node.id, node]);
    case 'settings':
      return [[0, { values: read.settings.current(), secrets: read.settings.secrets() }]];
    case 'core':
      return [[0, read.settings.template() ?? BUILT_IN]];
    default:
      return accessSources(read, noun);
  }
}

/**
 * A document of `sourcesOf`. `destroyed`: names of data keys that a backup still has and the running panel has destroyed.
 */
export function documentOf(noun: Noun, source: unknown, destroyed: ReadonlySet<string> = NOTHING): MomentDocument {
  switch (noun) {
    case 'inbound':
      return inboundDocument(source as Inbound);
    case 'client':
      return clientDocument(source as Client, destroyed);
    case 'node':
      return nodeDocument(source as Node);
    case 'settings':
      return { ...single(noun), shown: () => ({ ...(source as SettingsSource), erased: NOTHING }) };
    case 'core':
      return coreDocument(source as typeof BUILT_IN);
    default:
      return accessDocument(noun, source, destroyed);
  }
}

const BUILT_IN = { template: defaultTemplate, outboundTestUrl: defaultOutboundTestUrl };
type SettingsSource = Pick<Shown, 'values' | 'secrets'>;

const single = (noun: Noun) => ({ noun, number: 0, name: '', stream: noun });

/** The email of a client whose data was erased. No other client can have it. */
export const erasedName = (number: number): string => `erased-${number}`;

function isErasedClient({ number, identity, keyVersion }: Client, destroyed: ReadonlySet<string>): boolean {
  return identity.email === erasedName(number) || destroyed.has(`client:${number}/${keyVersion}`);
}

type SeenClient = readonly [client: Client, destroyed?: ReadonlySet<string> | undefined];

/** Whether the documents of two versions of a client show the same. */
export function isSameClient([before, gone = NOTHING]: SeenClient, [after, goneToo = NOTHING]: SeenClient): boolean {
  return (
    before.inbound === after.inbound &&
    sameJson(before.spec, after.spec) &&
    sameJson(before.depletion, after.depletion) &&
    sameJson(before.identity, after.identity) &&
    sameJson(before.credential, after.credential) &&
    isErasedClient(before, gone) === isErasedClient(after, goneToo)
  );
}

function clientDocument(source: Client, destroyed: ReadonlySet<string>): MomentDocument {
  const { number, inbound, spec, identity, credential, depletion } = source;
  const { email, comment, tgId, subId, extra } = identity;
  const isErased = isErasedClient(source, destroyed);
  return {
    ...{ noun: 'client', number, name: isErased ? erasedName(number) : email, stream: `client-${number}` },
    shown: () => ({
      values: { ...spec, email, comment, tgId, inbound, depletion },
      secrets: { subId, credential, extra },
      erased: isErased ? PERSONAL : NOTHING,
    }),
  };
}

function inboundDocument(source: Inbound): MomentDocument {
  const { id, config, remark, tag } = source;
  return {
    ...{ noun: 'inbound', number: id, name: remark || tag, stream: `inbound-${id}` },
    shown() {
      const { listen, port, protocol, capBytes, expiresAt, trafficReset, sniffing } = source;
      const { owner, node, enabled, depletion } = source;
      const isGone = sameJson(config, ERASED_CONFIG);
      return {
        values: {
          ...{ remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing },
          ...{ owner, node, enabled, depletion },
        },
        secrets: isGone ? { config: null } : { ...config },
        erased: isGone ? new Set(['config', 'settings', 'stream']) : NOTHING,
      };
    },
  };
}

function nodeDocument(source: Node): MomentDocument {
  const { id, name, remark, scheme, host, port, basePath, allowPrivateAddress, enabled, token } = source;
  const values = { name, remark, scheme, host, port, basePath, allowPrivateAddress, enabled };
  return {
    ...{ noun: 'node', number: id, name, stream: `node-${id}` },
    shown: () => ({ values, secrets: { token }, erased: token === '' ? new Set(['token']) : NOTHING }),
  };
}

function coreDocument(source: typeof BUILT_IN): MomentDocument {
  const { template, outboundTestUrl } = source;
  const isGone = sameJson(template, {});
  return {
    ...single('core'),
    shown: () => ({
      values: { outboundTestUrl },
      secrets: isGone ? { template: null } : { ...template },
      erased: isGone ? new Set(['template']) : NOTHING,
    }),
  };
}
