import { placesIn } from '../../../commands/reactors/proof/head-publisher.js';
import type { ServerName } from '../../../events/certificate.js';
import { type Inbound, isLocal, serves } from '../../../events/inbound/inbound-document.js';
import { sinkText } from '../../../events/proof/sink-text.js';
import { certificatesOf as certificatesOfStream, needsNoFile } from '../../../lib/certificate-pairs.js';
import { codeOf, type Text } from '../../../messages/message.js';
import { refusedHere } from '../../../projections/core/refused-here.js';
import type { HttpRequest, Needs } from '../context.js';
import type { attentionRoutes } from '../contract/attention.js';
import type { Handlers } from '../mount.js';
import { visibleInbounds } from '../visible-inbounds.js';

type Services = Needs<'read' | 'past' | 'deliveries' | 'pairExpiry'>;

export const attentionHandlers: Handlers<typeof attentionRoutes, Services> = {
  async attention(_, services, request) {
    const { say } = request;
    const { read } = services;
    const problem = (text: Text | null) => ({ problem: text === null ? '' : say(text), problemCode: codeOf(text) });
    const own = visibleInbounds({ read }, request);
    const refused = refusedHere(new Map(own.map((inbound) => [inbound.id, inbound])), read.records.core());
    return {
      certificates: certificatesOf(services, problem),
      inboundCertificates: await expiriesOf(services, own),
      refusedInbounds: refused.map(({ inbound: { id, remark, tag }, reason }) => ({
        ...{ id, remark, tag },
        ...problem(reason),
      })),
      webhooks: webhooksOf(services, problem),
      ...headProblems(services, request.say, problem),
    };
  },
};

function headProblems({ read }: Services, say: HttpRequest['say'], problem: Problem) {
  const { sinks, others } = read.records.proofs();
  return {
    failingHeadSinks: placesIn(read.settings.current(), '').flatMap(({ sink }) => {
      const failing = sinks.get(sink)?.failing;
      return failing ? { sink, name: say(sinkText(sink)), ...problem(failing.why) } : [];
    }),
    headConflicts: [...others].flatMap(([panel, { conflict }]) =>
      conflict ? { panel, position: conflict.head.position } : [],
    ),
  };
}

/** Disabled inbounds serve no certificate. */
async function expiriesOf({ read, pairExpiry }: Services, own: readonly Inbound[]) {
  const found = await Promise.all(
    own.filter(serves).map(async (inbound) => {
      const { id, remark, tag, config } = inbound;
      const isHere = isLocal(inbound, read.records.machine);
      const pairs = certificatesOfStream(config.stream).filter((pair) => isHere || needsNoFile(pair));
      const expiries = (await Promise.all(pairs.map(pairExpiry))).filter((expiry) => expiry !== null);
      return expiries.length === 0 ? [] : [{ id, remark, tag, expiresAt: Math.min(...expiries) }];
    }),
  );
  return found.flat();
}

type Problem = (text: Text | null) => { readonly problem: string; readonly problemCode: ReturnType<typeof codeOf> };

/** A failure is worth attention after a minute. */
const FAILING_MS = 60_000;

function webhooksOf({ read, deliveries }: Services, problem: Problem) {
  return [...read.records.webhooks().byId.values()].flatMap(({ id, name, paused, deadLetters }) => {
    const { failingSince = 0, problem: why = null } = deliveries.status(id) ?? {};
    const gone = paused === 'gone';
    const isFailing = paused === null && failingSince > 0 && Date.now() - failingSince >= FAILING_MS;
    if (!gone && !isFailing && deadLetters.length === 0) return [];
    return {
      ...{ id, name, gone, deadLetters: deadLetters.length, failingSince: isFailing ? failingSince : 0 },
      ...problem(gone || isFailing ? why : null),
    };
  });
}

function certificatesOf({ read, past }: Services, problem: Problem) {
  const { webCertFile, subCertFile, subEnable } = read.settings.current();
  const configured: readonly (readonly [ServerName, boolean])[] = [
    ['panel', webCertFile !== ''],
    ['subscription', subEnable && subCertFile !== ''],
  ];
  return configured.flatMap(([server, hasCertificate]) => {
    if (!hasCertificate) return [];
    const lastOf = (types: ('CertificateLoaded' | 'CertificateRejected')[]) =>
      past.lastOf('certificates', types, ({ data }) => 'server' in data && data.server === server);
    const loaded = lastOf(['CertificateLoaded']);
    const last = lastOf(['CertificateLoaded', 'CertificateRejected']);
    return {
      server,
      expiresAt: loaded?.type === 'CertificateLoaded' ? loaded.data.expiresAt : 0,
      ...problem(last?.type === 'CertificateRejected' ? last.data.reason : null),
    };
  });
}
