import { ProviderError } from '../../../../commands/ports/providers.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { SecretKey } from '../../../../events/settings/settings.js';
import { isObject, textOf } from '../../../../lib/json.js';
import { message, verbatim } from '../../../../messages/message.js';
import { withValue } from '../../../../messages/with-value.js';
import { pretty } from '../../codec/template.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { coreSettingRoutes } from '../../contract/core/settings.js';
import type { RequestOf } from '../../contract/route.js';
import type { Handlers } from '../../mount.js';

type Routes = typeof coreSettingRoutes;
type Services = Needs<'read' | 'providers'>;

/**
 * Tunnels of two public providers. Every answer is a string, as clients of 3x-ui expect. The registration is stored as a
 * secret setting; only this module returns it, to the page that creates an outbound from it.
 */
export const providerHandlers: Pick<Handlers<Routes, Services>, 'wgprov' | 'vpnprov'> = {
  wgprov: (input, services, request) => attempted(() => tunnel(input, services, request)),
  vpnprov: (input, services, request) => attempted(() => vpn(input, services, request)),
};

async function tunnel({ params, body }: RequestOf<Routes['wgprov']>, services: Services, request: HttpRequest) {
  const { tunnel: provider } = services.providers;
  const stored = services.read.settings.secrets().wgprov;
  const { action } = params;
  if (action === 'data') return stored;
  if (action === 'del') return store(request, 'wgprov', '');
  if (action === 'reg') {
    const missing = firstMissing(body, 'privateKey', 'publicKey');
    if (missing) return missing;
    const { device, answer } = await provider.register(body.publicKey.trim());
    const data = {
      access_token: device.token,
      device_id: device.id,
      license_key: device.license,
      private_key: body.privateKey.trim(),
      client_id: device.clientId,
    };
    return store(request, 'wgprov', pretty(data), pretty({ data, config: answer }));
  }
  const missing = action === 'license' ? firstMissing(body, 'license') : null;
  if (missing) return missing;
  const known = read(stored);
  const device = { id: textOf(known['device_id']), token: textOf(known['access_token']) };
  if (device.id === '' || device.token === '') return reject('PROVIDER_NOT_REGISTERED');
  if (action === 'config') return provider.config(device);
  const license_key = await provider.license(device, body.license.trim());
  return store(request, 'wgprov', pretty({ ...known, license_key }));
}

async function vpn({ params, body }: RequestOf<Routes['vpnprov']>, services: Services, request: HttpRequest) {
  const { vpn: provider } = services.providers;
  const own = (private_key: string, token: string) => store(request, 'vpnprov', JSON.stringify({ private_key, token }));
  const field = ({ servers: 'countryId', reg: 'token', setKey: 'key' } as const)[params.action as 'servers'];
  const missing = field === undefined ? null : firstMissing(body, field);
  if (missing) return missing;
  switch (params.action) {
    case 'countries':
      return provider.countries();
    case 'servers':
      return /^\d{1,9}$/.test(body.countryId.trim())
        ? provider.servers(Number(body.countryId))
        : reject('VALUE_OUT_OF_RANGE', {
            field: verbatim('countryId'),
            why: withValue(message('input.notWholeNumber'), body.countryId),
          });
    case 'reg':
      return own(await provider.privateKey(body.token.trim()), body.token.trim());
    case 'setKey':
      return isWireGuardKey(body.key.trim())
        ? own(body.key.trim(), '')
        : reject('VALUE_OUT_OF_RANGE', { field: verbatim('key'), why: message('input.notWireGuardKey') });
    case 'data':
      return services.read.settings.secrets().vpnprov;
    case 'del':
      return store(request, 'vpnprov', '');
  }
}

function isWireGuardKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  // Base64 is decoded leniently: only a value that encodes back to itself is a key.
  return bytes.length === 32 && bytes.toString('base64') === text;
}

function firstMissing<F extends string>(body: Readonly<Record<F, string>>, ...fields: readonly F[]): Rejection | null {
  const field = fields.find((name) => body[name].trim() === '');
  return field === undefined ? null : reject('FIELD_MISSING', { field });
}

/** Stores a registration. The answer is the stored value, unless `more` is given. */
function store({ dispatch }: HttpRequest, key: SecretKey, value: string, answer = value): string | Rejection {
  const done = dispatch({ type: 'ChangeSettings', data: { changes: { [key]: value } } });
  return done instanceof Rejection ? done : answer;
}

/** A stored registration; empty when there is none or it cannot be parsed. */
function read(stored: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function attempted<T>(work: () => Promise<T>): Promise<T | Rejection> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return reject('PROVIDER_FAILED', { why: error.text });
  }
}
