import { z } from 'zod';

/**
 * Schemas of the core's configuration as Xray 26.7.28 reads it (package infra/conf). They describe it for callers and for
 * the forms of the web panel and refuse nothing: whether a configuration is valid is decided by the core's own test.
 */
interface About<T> {
  /** What the core takes if the member is absent. */
  readonly default?: T;
  /** One sentence, where the name does not say it. */
  readonly description?: string;
}

/** An object with a name in the API reference. */
export const options = (id: string, shape: Shape, more: z.GlobalMeta & Needed = {}) => part(shape, { id, ...more });
/** An object. Members that are not listed are kept and passed to the core; listed ones may be absent. */
export function part(shape: Shape, { needed = [], ...meta }: z.GlobalMeta & Needed = {}): z.ZodType {
  const members = Object.entries(shape).map(([name, member]) => [
    name,
    needed.includes(name) ? member : member.optional(),
  ]);
  return z.looseObject(Object.fromEntries(members) as z.ZodRawShape).meta(meta);
}
type Shape = Readonly<Record<string, z.ZodType>>;
interface Needed {
  /** Members that must be present. */
  readonly needed?: readonly string[];
}

export const flag = (about: About<boolean> = {}) => z.boolean().meta({ ...about });
export const text = (about: About<string> = {}) => z.string().meta({ ...about });
export const whole = (about: About<number> = {}) => z.int().meta({ ...about });
/** A number, or a range such as `100-1000` from which the core takes a random number. */
export const range = (about: About<number | string> = {}) => z.union([z.string(), z.int()]).meta({ ...about });
/** One of a few values. */
export const choice = (values: readonly [string, ...string[]], about: About<string> = {}) =>
  z.enum(values).meta({ ...about });
/** A text for which there are usual values. */
export const usual = (values: readonly string[], about: About<string> = {}) =>
  z.string().meta({ ...about, examples: [...values] });
/** Several texts. The core also reads them from one text, separated by commas. */
export const texts = (about: About<readonly string[]> & { readonly usual?: readonly string[] } = {}) => {
  const { usual: values, ...rest } = about;
  const item = values === undefined ? z.string() : z.string().meta({ examples: [...values] });
  return z.union([z.array(item), z.string()]).meta({ ...rest });
};
/** Names with a text each. */
export const pairs = (about: About<never> = {}) => z.record(z.string(), z.string()).meta({ ...about });
/** Something with many members that the panel neither reads nor edits in a form. */
export const anything = (description: string) => z.looseObject({}).meta({ description });
export const listOf = <S extends z.ZodType>(item: S, description?: string) =>
  z.array(item).meta(description === undefined ? {} : { description });

/** Settings that differ by protocol. */
export const eitherOf = (id: string, byProtocol: Readonly<Record<string, z.ZodType>>) =>
  z.union(Object.values(byProtocol)).meta({ id, description: 'By protocol.' });

const DOMAIN_STRATEGIES = [
  ...(['AsIs', 'UseIP', 'UseIPv4', 'UseIPv6', 'UseIPv4v6', 'UseIPv6v4'] as const),
  ...(['ForceIP', 'ForceIPv4', 'ForceIPv6', 'ForceIPv4v6', 'ForceIPv6v4'] as const),
] as const;
export const domainStrategy = (description?: string) =>
  choice(DOMAIN_STRATEGIES, { default: 'AsIs', ...(description === undefined ? {} : { description }) });
export const NETWORKS = ['tcp,udp', 'tcp', 'udp'] as const;
export const FINGERPRINTS = [
  ...(['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', '360', 'qq'] as const),
  ...(['random', 'randomized', 'randomizednoalpn'] as const),
] as const;
export const METHODS = [
  ...(['2022-blake3-aes-256-gcm', '2022-blake3-aes-128-gcm', '2022-blake3-chacha20-poly1305'] as const),
  ...(['chacha20-ietf-poly1305', 'xchacha20-ietf-poly1305', 'aes-256-gcm', 'aes-128-gcm'] as const),
] as const;
export const level = whole({ default: 0, description: 'Selects an entry of `policy.levels` in the template.' });
export const xver = whole({
  default: 0,
  description: 'Version of the PROXY protocol header to send: 1 or 2; 0 = none.',
});

export const Sniffing = options('Sniffing', {
  enabled: flag({ default: false, description: 'Reads the domain of a connection from its first bytes.' }),
  destOverride: texts({
    usual: ['http', 'tls', 'quic', 'fakedns'],
    description: 'The protocols whose domains are read and replace the destination.',
  }),
  routeOnly: flag({ default: false, description: 'The domain only selects the route; the destination stays.' }),
  metadataOnly: flag({ default: false, description: 'Reads no content, so only `fakedns` has an effect.' }),
  domainsExcluded: texts({ description: 'Domains that do not replace the destination.' }),
  ipsExcluded: texts({ description: 'Destination addresses that are not replaced.' }),
});
