import { certificateProblem } from '../adapters/tls/certificates.js';
import type { SettingKey, Settings } from '../events/settings/settings.js';
import { message, type Text } from '../messages/message.js';

/** A setting that keeps the value of this machine. */
interface HostSetting {
  readonly key: SettingKey;
  readonly value: string | number;
  readonly why: Text;
}

const ADDRESSES = ['webListen', 'webPort', 'subListen', 'subPort'] as const;
const CERTIFICATES = [
  ['webCertFile', 'webKeyFile'],
  ['subCertFile', 'subKeyFile'],
] as const;

/** The settings that keep the values of this machine: listen addresses, and certificates that cannot be used here. */
export async function settingsOfHost(imported: Settings, host: Settings | null): Promise<readonly HostSetting[]> {
  if (host === null) return [];
  const kept: HostSetting[] = ADDRESSES.map((key) => ({
    key,
    value: host[key],
    why: message('backup.keptAddress'),
  }));
  for (const pair of CERTIFICATES) {
    const [certificate, privateKey] = pair;
    if (imported[certificate] === '' && imported[privateKey] === '') continue;
    const why = await certificateProblem(imported[certificate], imported[privateKey]);
    if (why === null) continue;
    for (const key of pair) kept.push({ key, value: host[key], why: message('backup.keptCertificate', { why }) });
  }
  return kept;
}
