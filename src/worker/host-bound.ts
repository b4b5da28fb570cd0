import { certificateProblem } from '../adapters/tls/certificates.js';
import type { SettingKey, Settings } from '../events/settings/settings.js';
import { message, type Text } from '../messages/message.js';

/** A setting whose value is that of the machine, whatever a file says. */
export interface HostBound {
  readonly key: SettingKey;
  readonly value: string | number;
  readonly why: Text;
}

const PLACES = ['webListen', 'webPort', 'subListen', 'subPort'] as const;
const PAIRS = [
  ['webCertFile', 'webKeyFile'],
  ['subCertFile', 'subKeyFile'],
] as const;

/** The settings that stay those of this machine: where the panel is reached now, and certificates that are only there. */
export async function hostBound(imported: Settings, host: Settings | null): Promise<readonly HostBound[]> {
  if (host === null) return [];
  const kept: HostBound[] = PLACES.map((key) => ({
    key,
    value: host[key],
    why: message('backup.keptAddress'),
  }));
  for (const pair of PAIRS) {
    const [certificate, privateKey] = pair;
    if (imported[certificate] === '' && imported[privateKey] === '') continue;
    const why = await certificateProblem(imported[certificate], imported[privateKey]);
    if (why === null) continue;
    for (const key of pair) kept.push({ key, value: host[key], why: message('backup.keptCertificate', { why }) });
  }
  return kept;
}
