import type { ProbeResult } from '../../../commands/ports/probe.js';
import { reject } from '../../../commands/rejection.js';
import { message, type Text } from '../../../messages/message.js';
import { defaultOutboundTestUrl } from '../../../projections/core/template.js';
import type { HttpRequest, Needs } from '../context.js';
import type { coreSettingRoutes } from '../contract/core-settings.js';
import { Wrong } from '../contract/schemas/fields.js';
import { readObject, readObjects } from '../contract/schemas/json-text.js';
import type { Handlers } from '../mount.js';

/** What is wrong with an outbound is the result of its test; what is wrong with the question is a rejection. */
export const outboundTestHandlers: Pick<
  Handlers<typeof coreSettingRoutes, Needs<'probe' | 'read' | 'web'>>,
  'testOutbound'
> = {
  async testOutbound({ body }, { read, web, probe }, { signal, say }) {
    if (body.outbound.trim() === '') return reject('FIELD_MISSING', { field: 'outbound' });
    const mode = body.mode.trim() === 'tcp' ? 'tcp' : 'http';
    const failed = (text: Text) => ({ success: false, delay: 0, mode, error: say(text) }) as const;
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

/** What went wrong, in the language of the caller; the words of servers and of the core stay as they are. */
function inLanguage(result: ProbeResult, say: HttpRequest['say']): ProbeResult {
  const { error, endpoints } = result;
  return {
    ...result,
    ...(error === undefined ? {} : { error: say(error) }),
    ...(endpoints === undefined
      ? {}
      : { endpoints: endpoints.map((one) => (one.error === undefined ? one : { ...one, error: say(one.error) })) }),
  };
}
