import type { ProbeResult } from '../../../../commands/ports/probe.js';
import { reject } from '../../../../commands/rejection.js';
import { codeOf, message, type Text } from '../../../../messages/message.js';
import { defaultOutboundTestUrl } from '../../../../projections/core/template.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { coreSettingRoutes } from '../../contract/core/settings.js';
import { Wrong } from '../../contract/schemas/fields.js';
import { readObject, readObjects } from '../../contract/schemas/json-text.js';
import type { Handlers } from '../../mount.js';

/** A problem of the outbound is a test result; a problem of the request is a rejection. */
export const outboundTestHandlers: Pick<
  Handlers<typeof coreSettingRoutes, Needs<'probe' | 'read' | 'web'>>,
  'testOutbound'
> = {
  async testOutbound({ body }, { read, web, probe }, { signal, say }) {
    if (body.outbound.trim() === '') return reject('FIELD_MISSING', { field: 'outbound' });
    const mode = body.mode.trim() === 'tcp' ? 'tcp' : 'http';
    const failed = (text: Text) => ({ success: false, delay: 0, mode, ...textMember(text, say) }) as const;
    const outbound = readObject(body.outbound);
    if (outbound instanceof Wrong) return failed(message('input.outboundInvalid', { why: outbound.why }));
    if (mode === 'tcp') return inLanguage(await probe.dial(outbound, signal), say);
    const others = readObjects(body.allOutbounds || body.outbounds);
    if (others instanceof Wrong) return failed(message('input.outboundsInvalid', { why: others.why }));
    const url = read.settings.template()?.outboundTestUrl ?? defaultOutboundTestUrl;
    const why = await web.problem(url);
    if (why !== null) return reject('TEST_URL_REFUSED', { why });
    return inLanguage(await probe.request({ outbound, others, url }, signal), say);
  },
};

/** A test result with its errors in the caller's language. */
function inLanguage({ error, endpoints, ...result }: ProbeResult, say: HttpRequest['say']) {
  const each = endpoints?.map(({ error: why, ...endpoint }) => ({ ...endpoint, ...textMember(why, say) }));
  return { ...result, ...textMember(error, say), ...(each === undefined ? {} : { endpoints: each }) };
}

function textMember(why: Text | undefined, say: HttpRequest['say']) {
  return why === undefined ? {} : { error: say(why), errorCode: codeOf(why) };
}
