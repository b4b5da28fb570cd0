import type { InboundDraft } from '../../commands/inbound.js';
import type { CoreInbound } from '../../commands/ports/core.js';
import type { Client } from '../../events/client-document.js';
import type { ClientNumber, InboundId, UserId } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound-document.js';
import { isObject } from '../../lib/json.js';
import { coreInbound, coreUser } from '../../projections/core-json.js';

const never = { life: 1, node: null, depletion: null, depletedAt: 0, createdAt: 0, updatedAt: 0 };

/** The inbound that a draft would become, in the core's words, to ask the core about it before anything is decided. */
export function coreInboundOf({ spec, enabled, config, clients }: InboundDraft): CoreInbound {
  const id = 1 as InboundId;
  const tag = spec.tag || `inbound-${spec.port}`;
  const inbound: Inbound = { ...never, ...spec, tag, id, owner: 1 as UserId, enabled, config, resetAt: 0, periodAt: 0 };
  const rendered = coreInbound(inbound);
  const users = clients.map((draft, index) => {
    const client: Client = { ...never, ...draft, number: (index + 1) as ClientNumber, inbound: id };
    return coreUser(inbound, client);
  });
  return { ...rendered, users: new Map(rendered.hotUsers ? users.map((user) => [user.email, user]) : []) };
}

/** A certificate and its key as files. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Every pair of files that a transport names and the core would read. */
export function certificatesIn(stream: Readonly<Record<string, unknown>> | null): readonly CertificateFiles[] {
  if (stream === null) return [];
  const used = Object.entries(stream).filter(
    ([name]) => folded(name) !== 'tlssettings' || stream['security'] === 'tls',
  );
  return pairsIn(Object.fromEntries(used));
}

function pairsIn(value: unknown): readonly CertificateFiles[] {
  if (Array.isArray(value)) return value.flatMap(pairsIn);
  if (!isObject(value)) return [];
  const nested = Object.values(value).flatMap(pairsIn);
  const [certificateFile, keyFile] = ['certificatefile', 'keyfile'].map((name) => textOf(value, name));
  return certificateFile || keyFile
    ? [{ certificateFile: certificateFile ?? '', keyFile: keyFile ?? '' }, ...nested]
    : nested;
}

function textOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const [, member] = Object.entries(value).find(([key, text]) => folded(key) === name && text !== '') ?? [];
  return typeof member === 'string' ? member : '';
}

/** The core compares names as Go does: without regard to case, also of the two letters that fold to ASCII. */
function folded(name: string): string {
  return name.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}
