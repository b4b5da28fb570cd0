import { reject } from '../../commands/rejection.js';
import { defaultOutboundTestUrl } from '../../projections/template.js';
import type { coreSettingRoutes } from '../contract/core-settings.js';
import { Wrong } from '../contract/schemas/fields.js';
import { readObject, readObjects } from '../contract/schemas/json-text.js';
import type { Handlers } from '../mount.js';

/** What is wrong with an outbound is the result of its test; what is wrong with the question is a rejection. */
export const outboundTestHandlers: Pick<Handlers<typeof coreSettingRoutes>, 'testOutbound'> = {
  async testOutbound({ body }, { read, web, probe, signal }) {
    if (body.outbound.trim() === '') return reject('FIELD_MISSING', { field: 'outbound' });
    const mode = body.mode.trim() === 'tcp' ? 'tcp' : 'http';
    const failed = (error: string) => ({ success: false, delay: 0, mode, error }) as const;
    const outbound = readObject(body.outbound);
    if (outbound instanceof Wrong) return failed(`Invalid outbound JSON: it ${outbound.why}`);
    if (mode === 'tcp') return probe.dial(outbound, signal);
    const others = readObjects(body.allOutbounds);
    if (others instanceof Wrong) return failed(`Invalid allOutbounds JSON: it ${others.why}`);
    const url = read.template()?.outboundTestUrl ?? defaultOutboundTestUrl;
    const why = await web.flaw(url);
    return why === null ? probe.request({ outbound, others, url }, signal) : reject('TEST_URL_REFUSED', { why });
  },
};
