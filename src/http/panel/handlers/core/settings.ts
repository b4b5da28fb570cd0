import { Rejection, reject } from '../../../../commands/rejection.js';
import { certificatePairs, hasLines } from '../../../../lib/certificate-pairs.js';
import { isObject, type JsonObject } from '../../../../lib/json.js';
import { message } from '../../../../messages/message.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../../../../projections/core/template.js';
import { messageOf } from '../../answers.js';
import { readableConfig } from '../../codec/core-config.js';
import { blockProblem, pretty, runnable, templateRejection, testUrlOf, unwrapTemplate } from '../../codec/template.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { coreSettingApiRoutes, coreSettingRoutes } from '../../contract/core/settings.js';
import type { JsonRecord } from '../../contract/schemas/json-text.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { refusal, type Untested } from '../inbounds/checks.js';
import { PRIVATE_ADDRESS } from '../settings/checks.js';
import { outboundTestHandlers } from './outbound-tests.js';
import { providerHandlers } from './providers.js';

const CHANGED = message('settings.saved');
const CHANGED_UNTESTED = message('core.savedUntested');
const RESET = message('core.outboundTrafficReset');
/** Names every outbound, as in 3x-ui. */
const ALL_TAGS = '-alltags-';
const SETTLED_MS = 10_000;

type Services = Needs<'read' | 'core' | 'coreSettled' | 'web' | 'probe' | 'providers' | 'pairProblem'>;

export const coreSettingHandlers: Handlers<typeof coreSettingRoutes, Services> &
  Handlers<typeof coreSettingApiRoutes, Services> = {
  read(_, { read }) {
    const template = read.settings.coreTemplate();
    const inboundTags = read.inbounds.all().map(({ tag }) => tag);
    const reverse = new Set([...read.clients.all()].map(({ spec }) => spec.reverseTag).filter((tag) => tag !== ''));
    const clientReverseTags = [...reverse].sort();
    const outboundTestUrl = read.settings.template()?.outboundTestUrl ?? defaultOutboundTestUrl;
    if (read.settings.current().apiDialect === '3x-ui') {
      return JSON.stringify({ xraySetting: template, inboundTags, clientReverseTags, outboundTestUrl });
    }
    return {
      coreSetting: pretty(template),
      inboundTags: JSON.stringify(inboundTags),
      clientReverseTags: JSON.stringify(clientReverseTags),
      outboundTestUrl,
    };
  },

  getDefaultJsonConfig: () => defaultTemplate,

  getOutboundsTraffic(_, { read }) {
    const counters = [...read.usage.outbounds()];
    return counters.map(([tag, { up, down }], index) => ({ id: index + 1, tag, up, down, total: up + down }));
  },

  getCoreResult(_, { read, core }, { say }) {
    const { error } = read.records.core().process;
    return core.process.output() || (error === null ? '' : say(error));
  },

  update: ({ body: { coreSetting, xraySetting, content, outboundTestUrl } }, services, request) =>
    changeTemplate(services, request, coreSetting ?? xraySetting ?? content, outboundTestUrl),

  async check({ body: { coreSetting, xraySetting, content } }, services, { say }) {
    const text = coreSetting ?? xraySetting ?? content;
    if (text === undefined || Object.keys(text).length === 0)
      return reject('TEMPLATE_INVALID', { why: message('core.settingMissing') });
    const template = unwrapTemplate(text);
    const problem = await templateProblem(services, template);
    if (problem instanceof Rejection) return problem;
    const { core, read } = services;
    return {
      tested: problem === null,
      warnings: core.config.ignoredSettings(template).map(say),
      config: readableConfig(core.config.assemble({ template, inbounds: runnable(read) })),
    };
  },

  async resetOutboundsTraffic({ body: { tag } }, { read }, { change }) {
    if (tag === '') return reject('FIELD_MISSING', { field: 'tag' });
    const { outbounds } = read.desired.template();
    const idle =
      Array.isArray(outbounds) && outbounds.some((outbound) => isObject(outbound) && outbound['tag'] === tag);
    // An outbound without traffic has nothing to reset.
    if (idle && !read.usage.outbounds().has(tag)) return new Message(RESET);
    const data = { tag: tag === ALL_TAGS ? null : tag };
    return messageOf(await change(() => ({ type: 'ResetOutboundTraffic', data })), RESET);
  },

  ...outboundTestHandlers,
  ...providerHandlers,
};

/** Changes the template, the URL of outbound tests, or both: without a template the current one stays. */
async function changeTemplate(
  services: Services,
  request: HttpRequest,
  text: JsonRecord | undefined,
  url: string,
): Promise<Message | Rejection> {
  if (text === undefined ? url.trim() === '' : Object.keys(text).length === 0)
    return reject('TEMPLATE_INVALID', { why: message('core.settingMissing') });
  const given = text === undefined ? null : unwrapTemplate(text);
  const outboundTestUrl = testUrlOf(url);
  if (outboundTestUrl instanceof Rejection) return outboundTestUrl;
  const { read, core, coreSettled, web } = services;
  if (outboundTestUrl !== (read.settings.template()?.outboundTestUrl ?? defaultOutboundTestUrl)) {
    const problems = [{ key: 'outboundTestUrl', why: PRIVATE_ADDRESS }];
    if ((await web.problem(outboundTestUrl)) !== null) return reject('SETTING_INVALID', { problems });
  }
  const problem = given === null ? null : await templateProblem(services, given);
  if (problem instanceof Rejection) return problem;
  const template = given ?? read.desired.template();
  const done = request.dispatch({ type: 'ChangeCoreTemplate', data: { template, outboundTestUrl } });
  if (done instanceof Rejection) return done;
  await coreSettled(SETTLED_MS);
  const warnings = given === null ? [] : core.config.ignoredSettings(given).map(request.say);
  return new Message(problem === 'untested' ? CHANGED_UNTESTED : CHANGED, warnings.length === 0 ? null : { warnings });
}

async function templateProblem(
  { read, core, pairProblem }: Services,
  template: JsonObject,
): Promise<Rejection | Untested | null> {
  const wrongBlock = blockProblem(template);
  if (wrongBlock !== null) return reject('TEMPLATE_INVALID', { why: wrongBlock });
  try {
    core.config.assemble({ template, inbounds: new Map() }); // the panel's own rules apply without an executable too
  } catch (error) {
    return templateRejection(error);
  }
  // `assemble` has checked the files.
  for (const pair of certificatePairs(template).filter(hasLines)) {
    const why = await pairProblem(pair);
    if (why !== null) return reject('TEMPLATE_INVALID', { why });
  }
  return refusal(() => core.config.testTemplate({ template, inbounds: runnable(read) }));
}
