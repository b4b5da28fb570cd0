import type { Role } from './queries';

const BUILT_IN = ['owner', 'operator', 'support', 'auditor', 'reseller', 'metrics', 'monitoring'] as const;
export type BuiltIn = (typeof BUILT_IN)[number];
export const OWNER = 'owner';

export const isBuiltIn = (name: string): name is BuiltIn => BUILT_IN.some((one) => one === name);

/** Whether the permissions of a role hold for some clients only, so that the admin needs inbounds. */
export const isLimited = (role: Role | undefined): boolean =>
  role?.grants.some(({ scope }) => scope !== 'all') ?? false;

/** Whether the role gives traffic or time to clients, which quotas limit. */
export const gives = (role: Role | undefined): boolean =>
  role !== undefined &&
  role.name !== OWNER &&
  role.grants.some(({ permission }) => /^clients:(create|update|extend)$/.test(permission));
