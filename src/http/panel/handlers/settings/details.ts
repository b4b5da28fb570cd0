import { z } from 'zod';
import { permissionToChange } from '../../../../commands/access/restriction.js';
import {
  defaultSettings,
  type SettingKey,
  type Settings,
  secretKeys,
  settingKeys,
  settingsTable,
} from '../../../../events/settings/settings.js';
import { sameJson } from '../../../../lib/json.js';
import { zoneNamed } from '../../../../lib/time/calendar.js';
import { languageNamed } from '../../../../messages/language.js';
import { codeOf } from '../../../../messages/message.js';
import { samplePage, samplePagePolicy } from '../../../subscription/page/sample.js';
import type { Needs, Overrides } from '../../context.js';
import type { settingDetailRoutes } from '../../contract/settings/details.js';
import type { Handlers } from '../../mount.js';
import { FramedPage } from '../../outcomes.js';
import { AT_RESTART } from '../at-restart.js';

type Services = Needs<'read' | 'now' | 'overrides' | 'servedSettings' | 'certificateStatus'>;

export const settingDetailHandlers: Handlers<typeof settingDetailRoutes, Services> = {
  sources(_, { read, overrides, servedSettings }) {
    const [current, served] = [read.settings.current(), servedSettings()];
    const secrets = read.settings.secrets();
    return {
      settings: Object.fromEntries(settingKeys.map((key) => [key, detailsOf(key, { current, served, overrides })])),
      secrets: Object.fromEntries(secretKeys.map((key) => [key, secrets[key] !== ''])),
      current: addressOf(served, overrides),
      next: addressOf(current, overrides),
    };
  },

  setup(_, { read, overrides }, { userId }) {
    const settings = read.settings.current();
    return {
      password: (read.admins.users().users.get(userId)?.epoch ?? 0) > 0,
      basePath: addressOf(settings, overrides).basePath !== '/',
      certificate: settings.webCertFile !== '',
      inbound: [...read.inbounds.all()].length > 0,
    };
  },

  async checkCertificate({ body: { certFile, keyFile } }, { certificateStatus }, { say }) {
    const { pair, problem } = await certificateStatus(certFile, keyFile);
    return {
      problem: problem && say(problem),
      problemCode: problem && codeOf(problem),
      certificate: pair && {
        names: pair.subject.split(', '),
        notBefore: pair.notBefore,
        notAfter: pair.notAfter,
        fingerprint: pair.fingerprint,
      },
    };
  },

  previewSubscriptionPage({ query: { title, announce, supportUrl, lang } }, { read, now }) {
    const { timeLocation, datepicker } = read.settings.current();
    const html = samplePage({
      ...{ title, announce, supportUrl },
      language: languageNamed(lang) ?? 'en',
      zone: zoneNamed(timeLocation),
      calendar: datepicker,
      now: now(),
    });
    return new FramedPage(html, samplePagePolicy);
  },
};

interface Known {
  readonly current: Settings;
  readonly served: Settings;
  readonly overrides: Overrides;
}

function detailsOf(key: SettingKey, { current, served, overrides }: Known) {
  const override = overrides[key];
  const { minimum, maximum, maxLength, enum: choices } = z.toJSONSchema(settingsTable[key], JSON_SCHEMA);
  const isDefault = sameJson(current[key], defaultSettings[key]);
  return {
    source: override ? kindOf(override.variable) : isDefault ? ('default' as const) : ('log' as const),
    variable: override?.variable ?? null,
    value: override?.value ?? current[key],
    default: defaultSettings[key],
    atRestart: AT_RESTART.has(key),
    pending: AT_RESTART.has(key) && !override && !sameJson(current[key], served[key]),
    ...{ min: minimum ?? null, max: maximum ?? null, maxLength: maxLength ?? null },
    choices: choices?.map(String) ?? null,
    permission: permissionToChange(key),
  };
}

const JSON_SCHEMA = { io: 'input', unrepresentable: 'any' } as const;

const kindOf = (variable: string) => (variable.startsWith('--') ? ('flag' as const) : ('environment' as const));

/** Where the panel is reached with these settings. */
function addressOf(settings: Settings, overrides: Overrides) {
  const basePath = overrides.webBasePath?.value ?? settings.webBasePath;
  return {
    port: Number(overrides.webPort?.value ?? settings.webPort),
    tls: settings.webCertFile !== '' && settings.webKeyFile !== '',
    basePath: `/${basePath}/`.replaceAll(/\/{2,}/g, '/'),
    domain: settings.webDomain,
  };
}
