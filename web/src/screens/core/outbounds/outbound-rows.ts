import type { JsonObject } from '../../../model/json';

/** Texts that the caller translates. */
export type Label =
  | 'address'
  | 'port'
  | 'password'
  | 'method'
  | 'user'
  | 'encryption'
  | 'flow'
  | 'redirect'
  | 'strategy'
  | 'privateKey'
  | 'publicKey'
  | 'endpoint'
  | 'ownAddresses'
  | 'transport'
  | 'security'
  | 'path'
  | 'host'
  | 'serviceName'
  | 'shortId'
  | 'through'
  | 'name'
  | 'protocol'
  | 'network'
  | 'hopPorts'
  | 'obfs'
  | 'response'
  | 'inboundTag'
  | 'sniffing'
  | 'sendThrough'
  | ListLabel;
export type Help = 'rules' | 'noises' | 'finalRules' | 'headers' | 'packet' | 'records';
type ListLabel =
  | 'rules'
  | 'noises'
  | 'finalRules'
  | 'headers'
  | 'action'
  | 'kind'
  | 'delay'
  | 'packet'
  | 'records'
  | 'blockDelay'
  | 'domain'
  | 'ip'
  | 'ports';
/** An input: its path, and a label. Without one, the name is that of the core and the label in every language. */
export type Row = readonly [path: string, label?: Label | { readonly same: string } | undefined, look?: Look];
export interface Look {
  readonly isSecret?: boolean;
  /** Instead of those of the schema. */
  readonly options?: readonly string[];
  readonly help?: Help;
  /** For a list of objects: the inputs of each, with paths inside it, and a new one. */
  readonly items?: { readonly rows: readonly Row[]; readonly fresh: JsonObject };
}
export const same = (name: string) => ({ same: name });

/** Lists of freedom. */
export const freedomLists: readonly Row[] = [
  [
    'settings.noises',
    'noises',
    {
      help: 'noises',
      items: {
        rows: [['type', 'kind'], ['packet', 'packet', { help: 'packet' }], ['delay', 'delay'], ['applyTo']],
        fresh: { type: 'rand', packet: '10-20', delay: '10-16' },
      },
    },
  ],
  [
    'settings.finalRules',
    'finalRules',
    {
      help: 'finalRules',
      items: {
        rows: [
          ['action', 'action'],
          ['network', 'network'],
          ['ip', 'ip'],
          ['port', 'ports'],
          ['blockDelay', 'blockDelay'],
        ],
        fresh: { action: 'block' },
      },
    },
  ],
];
/** Lists of dns. */
export const dnsLists: readonly Row[] = [
  [
    'settings.rules',
    'rules',
    {
      help: 'rules',
      items: {
        rows: [
          ['action', 'action'],
          ['domain', 'domain'],
          ['qType', 'records', { help: 'records' }],
          ['rCode', same('rCode')],
        ],
        fresh: { action: 'hijack' },
      },
    },
  ],
];
