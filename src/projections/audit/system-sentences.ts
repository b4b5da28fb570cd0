import { message } from '../../messages/message.js';
import type { DataOf, Sentences } from './sentence-types.js';

const STARTS = {
  start: 'audit.panelStarts',
  request: 'audit.onRequest',
  configuration: 'audit.newConfiguration',
  recovery: 'audit.afterFailure',
  disconnect: 'audit.toDisconnect',
  adopted: 'audit.alreadyRunning',
} as const;

const STOPS = {
  request: 'audit.onRequest',
  shutdown: 'audit.panelStops',
  configuration: 'audit.newConfiguration',
  disconnect: 'audit.toDisconnect',
} as const;

const FAILURES = {
  credentials: 'audit.wrongPassword',
  'two-factor': 'audit.wrongCode',
  locked: 'audit.lockedOut',
} as const;

/** Events of the core, the settings and the accounts. */
export const systemSentences = {
  CoreStopRequested: () => message('audit.coreStopRequested'),
  CoreRestartRequested: () => message('audit.coreRestartRequested'),
  CoreStarted: ({ version, reason }: DataOf<'CoreStarted'>) =>
    message('audit.coreStarted', { version, reason: message(STARTS[reason]) }),
  CoreStopped: ({ reason }: DataOf<'CoreStopped'>) => message('audit.coreStopped', { reason: message(STOPS[reason]) }),
  CoreFailed: ({ reason }: DataOf<'CoreFailed'>) => message('audit.coreFailed', { reason }),
  CoreDriftRepaired: ({ inboundTags, clientCount }: DataOf<'CoreDriftRepaired'>) =>
    message('audit.coreRepaired', { inbounds: inboundTags.length, accounts: clientCount }),
  CoreTemplateChanged: () => message('audit.templateChanged'),
  CoreVersionInstalled: ({ version }: DataOf<'CoreVersionInstalled'>) => message('audit.coreInstalled', { version }),
  CoreVersionRolledBack: ({ version, reason }: DataOf<'CoreVersionRolledBack'>) =>
    message('audit.coreRolledBack', { version, reason }),
  CoreInstallFailed: ({ version, reason }: DataOf<'CoreInstallFailed'>) =>
    message('audit.coreInstallFailed', { version, reason }),

  SettingsChanged: ({ changes }: DataOf<'SettingsChanged'>) =>
    message('audit.settingsChanged', { keys: Object.keys(changes) }),
  SecretSettingChanged: ({ key, secret }: DataOf<'SecretSettingChanged'>) =>
    message(secret.value === '' ? 'audit.secretRemoved' : 'audit.secretSet', { key }),

  UserCreated: () => message('audit.userCreated'),
  UserCredentialsChanged: () => message('audit.userChanged'),
  PasswordHashUpgraded: () => message('audit.hashUpgraded'),
  LoggedIn: () => message('audit.loggedIn'),
  LoggedOut: () => message('audit.loggedOut'),
  SessionsRevoked: ({ reason }: DataOf<'SessionsRevoked'>) =>
    message(reason === 'requested' ? 'audit.sessionsEnded' : 'audit.sessionsRevoked'),
  TwoFactorCodeUsed: () => message('audit.codeUsed'),
  SecondFactorSet: () => message('audit.factorSet'),
  SecondFactorRemoved: () => message('audit.factorRemoved'),
  OwnCodeUsed: () => message('audit.codeUsed'),
  RecoveryCodesIssued: ({ codes }: DataOf<'RecoveryCodesIssued'>) =>
    message('audit.codesIssued', { codes: codes.hashes.length }),
  RecoveryCodeUsed: ({ left }: DataOf<'RecoveryCodeUsed'>) => message('audit.recoveryUsed', { left }),
  PasskeyAdded: ({ credential: { name } }: DataOf<'PasskeyAdded'>) => message('audit.passkeyAdded', { name }),
  PasskeyUsed: ({ passkey }: DataOf<'PasskeyUsed'>) => message('audit.passkeyUsed', { passkey }),
  PasskeyRemoved: ({ passkey }: DataOf<'PasskeyRemoved'>) => message('audit.passkeyRemoved', { passkey }),
  LoginFailed: ({ attempt: { username, ip }, reason, count }: DataOf<'LoginFailed'>) =>
    message('audit.loginFailed', { name: username, ip, reason: message(FAILURES[reason]), attempts: count }),
  ApiTokenIssued: () => message('audit.tokenIssued'),
  TokenCreated: ({ role }: DataOf<'TokenCreated'>) => message('audit.tokenCreated', { role }),
  TokenChanged: ({ role }: DataOf<'TokenChanged'>) => message('audit.tokenChanged', { role }),
  TokenRotated: ({ previousUntil: until }: DataOf<'TokenRotated'>) => message('audit.tokenRotated', { until }),
  TokenRevoked: () => message('audit.tokenRevoked'),
  TokenUsed: ({ requests }: DataOf<'TokenUsed'>) => message('audit.tokenUsed', { requests }),
  RoleDefined: ({ role, grants }: DataOf<'RoleDefined'>) =>
    message('audit.roleDefined', { role, permissions: grants.map(({ permission }) => permission) }),
  RoleDeleted: ({ role }: DataOf<'RoleDeleted'>) => message('audit.roleDeleted', { role }),
  AdminAccessChanged: ({ role }: DataOf<'AdminAccessChanged'>) => message('audit.adminAccess', { role }),
  AdminDeleted: () => message('audit.adminDeleted'),
  OwnerAssigned: ({ clients }: DataOf<'OwnerAssigned'>) => message('audit.ownerAssigned', { clients: clients.length }),
  CommandRefused: ({ reason, permission, count }: DataOf<'CommandRefused'>) =>
    reason === 'quota'
      ? message('audit.refusedByQuota', { requests: count })
      : message('audit.refused', { permission, requests: count }),
} satisfies Partial<Sentences>;
