// Written by `npm run docs` from the route tables in src/http/panel/contract. Do not edit: a test compares.

/** The answer is a file, not the envelope: link to it instead of fetching it. */
export interface File { readonly file: true }

/** What a role may include. */
export type Permission = "account:read" | "account:update" | "clients:read" | "clients:create" | "clients:update" | "clients:extend" | "clients:reset" | "clients:delete" | "inbounds:read" | "inbounds:create" | "inbounds:update" | "inbounds:reset" | "inbounds:delete" | "nodes:read" | "nodes:create" | "nodes:update" | "nodes:delete" | "nodes:run" | "core:read" | "core:update" | "core:run" | "settings:read" | "settings:update" | "secrets:update" | "backups:read" | "backups:create" | "backups:export" | "backups:restore" | "audit:read" | "audit:undo" | "audit:export" | "audit:recount" | "personalData:read" | "personalData:export" | "personalData:erase" | "personalData:hold" | "webhooks:read" | "webhooks:create" | "webhooks:update" | "webhooks:delete" | "webhooks:run" | "proof:read" | "proof:run" | "proof:create" | "admins:read" | "admins:create" | "admins:update" | "admins:delete" | "tokens:read" | "tokens:create" | "tokens:update" | "tokens:delete" | "cluster:read" | "cluster:create" | "cluster:run" | "cluster:delete" | "server:read" | "server:run" | "logs:read" | "metrics:read" | "geo:read" | "geo:create" | "geo:update" | "geo:delete" | "geo:run" | "releases:read" | "releases:run" | "keys:create" | "docs:read";

export type AccessToken = { readonly id: number; readonly name: string; readonly prefix: string; readonly role: string; readonly inbounds: readonly (number)[]; readonly admin: number; readonly expiresAt: number; readonly addresses: readonly (string)[]; readonly createdAt: number; readonly rotatedAt: number | null; readonly previousUntil: number | null; readonly usedAt: number | null; readonly usedFrom: string | null };

export type Admin = { readonly id: number; readonly username: string; readonly role: string; readonly inbounds: readonly (number)[]; readonly quotas: { readonly clients: number; readonly totalBytes: number; readonly clientBytes: number; readonly days: number }; readonly clients: number; readonly capBytes: number; readonly lastLoginAt: number };

export type ClientPage = { readonly clients: readonly (ClientRow)[]; readonly matched: number; readonly used: number; readonly counts: { readonly online: number; readonly offline: number; readonly all: number; readonly enabled: number; readonly active: number; readonly expiring: number; readonly high: number; readonly depleted: number; readonly expired: number; readonly disabled: number }; readonly named: boolean };

export type ClientRow = { readonly id: number; readonly inboundId: number; readonly enable: boolean; readonly email: string; readonly uuid: string; readonly subId: string; readonly up: number; readonly down: number; readonly allTime: number; readonly expiryTime: number; readonly total: number; readonly reset: number; readonly lastOnline: number; readonly state: "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly enabled: boolean; readonly online: boolean; readonly comment: string; readonly limitIp: number; readonly createdAt: number };

export type ClientTraffic = { readonly id: number; readonly inboundId: number; readonly enable: boolean; readonly email: string; readonly uuid: string; readonly subId: string; readonly up: number; readonly down: number; readonly allTime: number; readonly expiryTime: number; readonly total: number; readonly reset: number; readonly lastOnline: number };

export type ClusterMember = { readonly name: string; readonly role: string; readonly state: "running" | "away" | "stopped" | "unknown"; readonly isSelf: boolean; readonly version: string; readonly host: string; readonly address: string; readonly panel: string; readonly subscription: string; readonly position: number; readonly lag: number; readonly lagMs: number; readonly seenAt: number; readonly startedAt: number; readonly clockMs: number; readonly clockWrong: boolean; readonly unknownAt: number; readonly missingFiles: readonly ({ readonly file: string; readonly why: string; readonly whyCode: TextCode })[]; readonly inbounds: readonly ({ readonly id: number; readonly remark: string; readonly tag: string })[] };

export type ClusterState = { readonly enabled: boolean; readonly name: string; readonly role: string; readonly leader: string; readonly position: number; readonly confirmed: number; readonly awayAt: number; readonly quorum: boolean; readonly needed: number; readonly servers: readonly ({ readonly name: string; readonly isLeader: boolean; readonly isCurrent: boolean; readonly lag: number })[]; readonly fault: "" | "missing" | "purged" | "shortened" | "incomplete" | "building"; readonly problem: string; readonly problemCode: TextCode; readonly failover: { readonly at: number; readonly member: string; readonly former: string; readonly reason: "" | "first" | "handedOver" | "stopped" | "expired"; readonly why: string } | null; readonly rebuilt: { readonly at: number; readonly member: string; readonly reason: string } | null; readonly setAside: readonly ({ readonly at: number; readonly member: string; readonly fromPosition: number; readonly toPosition: number; readonly file: string })[] };

export type ConsistencyProof = { readonly kind: "consistency"; readonly from: number; readonly to: number; readonly fromRoot: string; readonly toRoot: string; readonly path: readonly (string)[]; readonly fromHead: SignedHead | null; readonly toHead: SignedHead | null };

export type HeadSink = { readonly sink: "webhook" | "chat" | "file" | "git" | "panel"; readonly target: string; readonly position: number; readonly at: number; readonly waiting: number; readonly failingSince: number; readonly attempts: number; readonly nextAttemptAt: number; readonly problem: string; readonly problemCode: TextCode };

export type Inbound = { readonly id: number; readonly userId: number; readonly up: number; readonly down: number; readonly total: number; readonly allTime: number; readonly remark: string; readonly enable: boolean; readonly expiryTime: number; readonly trafficReset: "never" | "hourly" | "daily" | "weekly" | "monthly"; readonly lastTrafficResetTime: number; readonly clientStats: readonly (ClientTraffic)[]; readonly listen: string; readonly port: number; readonly protocol: string; readonly settings: string; readonly streamSettings: string; readonly tag: string; readonly sniffing: string; readonly nodeId?: number; readonly machine?: string };

export type InboundForm = { readonly id: number; readonly version: string; readonly remark: string; readonly tag: string; readonly protocol: string; readonly listen: string; readonly port: number; readonly enable: boolean; readonly total: number; readonly expiryTime: number; readonly trafficReset: "never" | "hourly" | "daily" | "weekly" | "monthly"; readonly settings: Readonly<Record<string, unknown>>; readonly streamSettings: Readonly<Record<string, unknown>>; readonly sniffing: Readonly<Record<string, unknown>>; readonly nodeId: number; readonly clients: number; readonly machine?: string };

export type InboundSummary = { readonly id: number; readonly remark: string; readonly tag: string; readonly protocol: string; readonly listen: string; readonly port: number; readonly network: string; readonly security: string; readonly enable: boolean; readonly enabled: boolean; readonly closedBy: "" | "cap" | "expiry"; readonly up: number; readonly down: number; readonly total: number; readonly allTime: number; readonly expiryTime: number; readonly trafficReset: "never" | "hourly" | "daily" | "weekly" | "monthly"; readonly clients: number; readonly online: number; readonly nodeId: number; readonly machine?: string; readonly refused?: string };

export type InclusionProof = { readonly kind: "inclusion"; readonly position: number; readonly previous: string; readonly event: string; readonly size: number; readonly root: string; readonly path: readonly (string)[]; readonly head: SignedHead | null };

export type JoinRequest = { readonly member: string; readonly role: "member" | "subscriptions"; readonly expiresAt: number };

export type Node = { readonly id: number; readonly name: string; readonly remark: string; readonly scheme: "http" | "https"; readonly host: string; readonly address: string; readonly port: number; readonly basePath: string; readonly apiToken: string; readonly hasApiToken: boolean; readonly enable: boolean; readonly allowPrivateAddress: boolean; readonly status: "unknown" | "online" | "offline"; readonly lastHeartbeat: number; readonly lastError: string; readonly lastErrorCode: TextCode; readonly cpu: number; readonly mem: number; readonly cpuPct: number; readonly memPct: number; readonly latencyMs: number; readonly coreVersion: string; readonly xrayVersion: string; readonly uptimeSecs: number; readonly kind: string; readonly syncState: "synced" | "behind" | "failing" | "refused" | "disabled" | "unknown"; readonly pendingChanges: number; readonly pendingReason: string; readonly pendingReasonCode: TextCode; readonly pending: readonly ({ readonly inboundId: number; readonly tag: string; readonly deleted: boolean; readonly lag: number; readonly firstPosition: number; readonly appliedPosition: number; readonly appliedAt: number; readonly reason: string; readonly reasonCode: TextCode; readonly since: number; readonly retryAt: number })[]; readonly createdAt: number; readonly updatedAt: number };

export type NodeSync = { readonly id: number; readonly name: string; readonly state: "synced" | "behind" | "failing" | "refused" | "disabled" | "unknown"; readonly lag: number; readonly appliedPosition: number; readonly wantedPosition: number; readonly listedAt: number; readonly error: string; readonly errorCode: TextCode; readonly failingSince: number; readonly tries: number; readonly nextTryAt: number; readonly pending: readonly ({ readonly inboundId: number; readonly tag: string; readonly deleted: boolean; readonly lag: number; readonly firstPosition: number; readonly appliedPosition: number; readonly appliedAt: number; readonly reason: string; readonly reasonCode: TextCode; readonly since: number; readonly retryAt: number })[]; readonly coreRestartedAt: number; readonly coreRestartedFor: { readonly clients: readonly (string)[]; readonly inbounds: readonly (number)[] }; readonly unmanaged: { readonly inbounds: readonly (string)[]; readonly clients: readonly ({ readonly inbound: string; readonly email: string })[]; readonly omitted: number } };

export type PanelAddress = { readonly port: number; readonly tls: boolean; readonly basePath: string; readonly domain: string };

export type ProofStatus = { readonly panel: string; readonly key: { readonly id: string; readonly publicKey: string; readonly pem: string } | null; readonly last: SignedHead | null; readonly heads: number; readonly sinks: readonly (HeadSink)[]; readonly others: readonly ({ readonly panel: string; readonly publicKey: string; readonly last: SignedHead; readonly heads: number; readonly conflict: { readonly at: number; readonly head: SignedHead; readonly other: number } | null })[] };

export type PublishedHead = { readonly head: SignedHead; readonly sinks: readonly (HeadSink)[] };

export type RecountDone = { readonly event: number; readonly adjusted: number; readonly depleted: number; readonly reactivated: number };

export type RecountPreview = { readonly position: number; readonly clients: number; readonly counted: { readonly up: number; readonly down: number }; readonly recounted: { readonly up: number; readonly down: number }; readonly unchecked: number; readonly changes: readonly ({ readonly client: number; readonly email: string; readonly counted: { readonly up: number; readonly down: number }; readonly recounted: { readonly up: number; readonly down: number } })[] };

export type Session = { readonly id: string; readonly device: string; readonly ip: string | null; readonly startedAt: number; readonly usedAt: number | null; readonly expiresAt: number; readonly current: boolean };

export type Settings = { readonly webListen: "" | string; readonly webPort: number; readonly webBasePath: string; readonly webDomain: string; readonly webCertFile: string; readonly webKeyFile: string; readonly sessionMaxAge: number; readonly trustedProxyCIDRs: readonly (string)[] | string; readonly twoFactorEnable: boolean; readonly apiTokenEnable: boolean; readonly timeLocation: string; readonly datepicker: "gregorian" | "jalalian"; readonly pageSize: number; readonly expireDiff: number; readonly trafficDiff: number; readonly remarkModel: string; readonly externalTrafficInformEnable: boolean; readonly externalTrafficInformURI: string; readonly restartCoreOnClientDisable: boolean; readonly chatBotEnable: boolean; readonly chatBotAPIServer: string; readonly chatBotChatId: string; readonly chatBotRunTime: string; readonly chatBotBackup: boolean; readonly chatBotLoginNotify: boolean; readonly chatBotCpu: number; readonly chatBotLang: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly subEnable: boolean; readonly subListen: "" | string; readonly subPort: number; readonly subPath: string; readonly subDomain: string; readonly subCertFile: string; readonly subKeyFile: string; readonly subTitle: string; readonly subSupportUrl: string; readonly subProfileUrl: string; readonly subAnnounce: string; readonly subUpdates: number; readonly subEncrypt: boolean; readonly subShowInfo: boolean; readonly subEnableRouting: boolean; readonly subRoutingRules: string; readonly subURI: string; readonly subJsonEnable: boolean; readonly subJsonPath: string; readonly subJsonURI: string; readonly subJsonFragment: string; readonly subJsonNoises: string; readonly subJsonMux: string; readonly subJsonRules: string; readonly subClashEnable: boolean; readonly subClashPath: string; readonly subClashURI: string; readonly ldapEnable: boolean; readonly ldapHost: string; readonly ldapPort: number; readonly ldapUseTLS: boolean; readonly ldapBindDN: string; readonly ldapBaseDN: string; readonly ldapUserFilter: string; readonly ldapUserAttr: string; readonly ldapVlessField: string; readonly ldapFlagField: string; readonly ldapTruthyValues: string; readonly ldapInvertFlag: boolean; readonly ldapSyncCron: string; readonly ldapInboundTags: string; readonly ldapAutoCreate: boolean; readonly ldapAutoDelete: boolean; readonly ldapDefaultTotalGB: number; readonly ldapDefaultExpiryDays: number; readonly ldapDefaultLimitIP: number; readonly backupSchedule: string; readonly backupKeep: number; readonly proofWebhook: string; readonly proofChat: boolean; readonly proofFile: string; readonly proofGit: string; readonly proofPanel: string; readonly apiDialect: "spec" | "3x-ui"; readonly coreSplice: boolean; readonly pollSeconds: number; readonly ipLimitGraceSeconds: number; readonly ipLimitKeep: "newest" | "oldest"; readonly measuredRetentionHours: number; readonly eraseDeletedAfterDays: number; readonly geoUpdateSchedule: string; readonly tgBotEnable: boolean; readonly tgBotAPIServer: string; readonly tgBotChatId: string; readonly tgRunTime: string; readonly tgBotBackup: boolean; readonly tgBotLoginNotify: boolean; readonly tgCpu: number; readonly tgLang: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly restartXrayOnClientDisable: boolean; readonly twoFactorToken: ""; readonly chatBotToken: ""; readonly chatBotProxy: ""; readonly ldapPassword: ""; readonly backupPassphrase: ""; readonly proofPanelToken: ""; readonly wgprov: ""; readonly vpnprov: ""; readonly apiToken: ""; readonly tgBotToken: ""; readonly tgBotProxy: ""; readonly hasTwoFactorToken: boolean; readonly hasChatBotToken: boolean; readonly hasChatBotProxy: boolean; readonly hasLdapPassword: boolean; readonly hasBackupPassphrase: boolean; readonly hasProofPanelToken: boolean; readonly hasWgprov: boolean; readonly hasVpnprov: boolean; readonly hasTgBotToken: boolean; readonly hasTgBotProxy: boolean; readonly hasWarpSecret: boolean; readonly hasNordSecret: boolean; readonly hasApiToken: boolean; readonly environment: Readonly<Record<string, { readonly variable: string; readonly value: string | number }>> };

export type SettingSource = { readonly source: "flag" | "environment" | "log" | "default"; readonly variable: string | null; readonly value: unknown; readonly default: unknown; readonly atRestart: boolean; readonly pending: boolean; readonly min: number | null; readonly max: number | null; readonly maxLength: number | null; readonly choices: readonly (string)[] | null; readonly permission: "settings:update" | "secrets:update" };

export type SettingSources = { readonly settings: { readonly webListen: SettingSource; readonly webPort: SettingSource; readonly webBasePath: SettingSource; readonly webDomain: SettingSource; readonly webCertFile: SettingSource; readonly webKeyFile: SettingSource; readonly sessionMaxAge: SettingSource; readonly trustedProxyCIDRs: SettingSource; readonly twoFactorEnable: SettingSource; readonly apiTokenEnable: SettingSource; readonly timeLocation: SettingSource; readonly datepicker: SettingSource; readonly pageSize: SettingSource; readonly expireDiff: SettingSource; readonly trafficDiff: SettingSource; readonly remarkModel: SettingSource; readonly externalTrafficInformEnable: SettingSource; readonly externalTrafficInformURI: SettingSource; readonly restartCoreOnClientDisable: SettingSource; readonly chatBotEnable: SettingSource; readonly chatBotAPIServer: SettingSource; readonly chatBotChatId: SettingSource; readonly chatBotRunTime: SettingSource; readonly chatBotBackup: SettingSource; readonly chatBotLoginNotify: SettingSource; readonly chatBotCpu: SettingSource; readonly chatBotLang: SettingSource; readonly subEnable: SettingSource; readonly subListen: SettingSource; readonly subPort: SettingSource; readonly subPath: SettingSource; readonly subDomain: SettingSource; readonly subCertFile: SettingSource; readonly subKeyFile: SettingSource; readonly subTitle: SettingSource; readonly subSupportUrl: SettingSource; readonly subProfileUrl: SettingSource; readonly subAnnounce: SettingSource; readonly subUpdates: SettingSource; readonly subEncrypt: SettingSource; readonly subShowInfo: SettingSource; readonly subEnableRouting: SettingSource; readonly subRoutingRules: SettingSource; readonly subURI: SettingSource; readonly subJsonEnable: SettingSource; readonly subJsonPath: SettingSource; readonly subJsonURI: SettingSource; readonly subJsonFragment: SettingSource; readonly subJsonNoises: SettingSource; readonly subJsonMux: SettingSource; readonly subJsonRules: SettingSource; readonly subClashEnable: SettingSource; readonly subClashPath: SettingSource; readonly subClashURI: SettingSource; readonly ldapEnable: SettingSource; readonly ldapHost: SettingSource; readonly ldapPort: SettingSource; readonly ldapUseTLS: SettingSource; readonly ldapBindDN: SettingSource; readonly ldapBaseDN: SettingSource; readonly ldapUserFilter: SettingSource; readonly ldapUserAttr: SettingSource; readonly ldapVlessField: SettingSource; readonly ldapFlagField: SettingSource; readonly ldapTruthyValues: SettingSource; readonly ldapInvertFlag: SettingSource; readonly ldapSyncCron: SettingSource; readonly ldapInboundTags: SettingSource; readonly ldapAutoCreate: SettingSource; readonly ldapAutoDelete: SettingSource; readonly ldapDefaultTotalGB: SettingSource; readonly ldapDefaultExpiryDays: SettingSource; readonly ldapDefaultLimitIP: SettingSource; readonly backupSchedule: SettingSource; readonly backupKeep: SettingSource; readonly proofWebhook: SettingSource; readonly proofChat: SettingSource; readonly proofFile: SettingSource; readonly proofGit: SettingSource; readonly proofPanel: SettingSource; readonly apiDialect: SettingSource; readonly coreSplice: SettingSource; readonly pollSeconds: SettingSource; readonly ipLimitGraceSeconds: SettingSource; readonly ipLimitKeep: SettingSource; readonly measuredRetentionHours: SettingSource; readonly eraseDeletedAfterDays: SettingSource; readonly geoUpdateSchedule: SettingSource }; readonly secrets: { readonly twoFactorToken: boolean; readonly chatBotToken: boolean; readonly chatBotProxy: boolean; readonly ldapPassword: boolean; readonly backupPassphrase: boolean; readonly proofPanelToken: boolean; readonly wgprov: boolean; readonly vpnprov: boolean }; readonly current: PanelAddress; readonly next: PanelAddress };

export type SignedHead = { readonly format: string; readonly panel: string; readonly position: number; readonly hash: string; readonly root: string; readonly at: number; readonly key: string; readonly signature: string };

export type SocketMessage = { readonly type: "status"; readonly data: Status } | { readonly type: "xrayState"; readonly data: "running" | "stop" | "error" } | { readonly type: "notification"; readonly title: string; readonly titleCode: TextCode; readonly body: string; readonly bodyCode: TextCode; readonly severity: "success" | "warning" | "error" } | { readonly type: "invalidate"; readonly resource: "inbounds" | "outbounds" | "core" | "settings" | "users" | "nodes" | "custom-geo" | "webhooks" | "personal-data" } | { readonly type: "traffic"; readonly clients: readonly (readonly [number, number, number])[]; readonly inbounds: readonly (readonly [number, number, number])[]; readonly at: number };

export type Status = { readonly cpu: number; readonly cpuCores: number; readonly logicalPro: number; readonly cpuSpeedMhz: number; readonly mem: { readonly current: number; readonly total: number }; readonly swap: { readonly current: number; readonly total: number }; readonly disk: { readonly current: number; readonly total: number }; readonly core: { readonly state: "running" | "stop" | "error"; readonly errorMsg: string; readonly errorMsgCode: TextCode; readonly version: string }; readonly xray: { readonly state: "running" | "stop" | "error"; readonly errorMsg: string; readonly errorMsgCode: TextCode; readonly version: string }; readonly uptime: number; readonly load: { readonly load1: number; readonly load5: number; readonly load15: number }; readonly loads: readonly (number)[]; readonly tcpCount: number; readonly udpCount: number; readonly netIO: { readonly up: number; readonly down: number }; readonly netTraffic: { readonly sent: number; readonly recv: number }; readonly publicIP: { readonly ipv4: string; readonly ipv6: string }; readonly appStats: { readonly threads: number; readonly mem: number; readonly uptime: number }; readonly panelId: string; readonly missing: readonly (string)[] };

export type TextCode = string | null;

export type WrittenRecountRule = { readonly from?: string; readonly to?: string; readonly node?: string; readonly moreThan?: number; readonly count: number };

/** The paths of the API by the permission that they need. */
export const PATHS = {
  'clients:read': [
    '/panel/api/inbounds/getClientTraffics/:email',
    '/panel/api/inbounds/getClientTrafficsById/:id',
    '/panel/api/inbounds/clientIps/:email',
    '/panel/api/inbounds/onlines',
    '/panel/api/inbounds/lastOnline',
    '/panel/api/inbounds/getSubLinks/:subId',
    '/panel/api/inbounds/getClientLinks/:id/:email',
    '/panel/api/clients/page',
    '/panel/api/clients/search',
    '/panel/api/clients/top',
    '/panel/api/clients/export',
    '/panel/api/clients/links',
    '/panel/api/clients/inbounds',
    '/panel/api/clients/subscriptions',
    '/panel/api/clients/:email/details',
    '/panel/api/clients/:email/profiles/:id',
    '/panel/api/clients/:email/why',
    '/panel/api/clients/:email/statement',
  ],
  'clients:reset': [
    '/panel/api/inbounds/clearClientIps/:email',
    '/panel/api/inbounds/resetAllClientTraffics/:id',
    '/panel/api/inbounds/updateClientTraffic/:email',
    '/panel/api/inbounds/:id/resetClientTraffic/:email',
  ],
  'clients:create': [
    '/panel/api/inbounds/addClient',
    '/panel/api/inbounds/:id/copyClients',
  ],
  'clients:extend': [
    '/panel/api/inbounds/updateClient/:clientId',
    '/panel/api/clients/change',
  ],
  'clients:delete': [
    '/panel/api/inbounds/delDepletedClients/:id',
    '/panel/api/inbounds/:id/delClient/:clientId',
    '/panel/api/inbounds/:id/delClientByEmail/:email',
  ],
  'clients:update': [
    '/panel/api/clients/restore',
  ],
  'inbounds:read': [
    '/panel/api/inbounds/overview',
    '/panel/api/inbounds/overview/:id',
    '/panel/api/inbounds/freePort',
    '/panel/api/inbounds/check',
    '/panel/api/inbounds/preview',
    '/panel/api/inbounds/list',
    '/panel/api/inbounds/get/:id',
  ],
  'inbounds:delete': [
    '/panel/api/inbounds/delete/:id',
    '/panel/api/inbounds/del/:id',
  ],
  'inbounds:create': [
    '/panel/api/inbounds/importAll',
    '/panel/api/inbounds/add',
    '/panel/api/inbounds/import',
  ],
  'inbounds:update': [
    '/panel/api/inbounds/update/:id',
    '/panel/api/inbounds/setEnable/:id',
  ],
  'inbounds:reset': [
    '/panel/api/inbounds/resetAllTraffics',
    '/panel/api/inbounds/:id/resetTraffic',
  ],
  'server:read': [
    '/panel/api/server/status',
    '/panel/api/server/getWebCertFiles',
    '/panel/api/server/attention',
    '/panel/api/server/cpuHistory/:bucket',
    '/panel/api/server/history/:metric/:bucket',
    '/panel/api/server/coreMetricsState',
    '/panel/api/server/coreMetricsHistory/:metric/:bucket',
    '/panel/api/server/coreObservatory',
    '/panel/api/server/coreObservatoryHistory/:tag/:bucket',
  ],
  'logs:read': [
    '/panel/api/server/logs/:count',
    '/panel/api/server/corelogs/:count',
  ],
  'core:read': [
    '/panel/api/server/getConfigJson',
    '/panel/core/',
    '/panel/core/getDefaultJsonConfig',
    '/panel/core/getOutboundsTraffic',
    '/panel/core/getCoreResult',
    '/panel/api/xray/',
    '/panel/api/xray/getDefaultJsonConfig',
    '/panel/api/xray/getOutboundsTraffic',
    '/panel/api/xray/getXrayResult',
  ],
  'core:run': [
    '/panel/api/server/stopCoreService',
    '/panel/api/server/restartCoreService',
    '/panel/core/check',
    '/panel/core/testOutbound',
    '/panel/api/xray/check',
    '/panel/api/xray/testOutbound',
  ],
  'keys:create': [
    '/panel/api/server/getNewUUID',
    '/panel/api/server/getNewX25519Cert',
    '/panel/api/server/getNewmldsa65',
    '/panel/api/server/getNewmlkem768',
    '/panel/api/server/getNewVlessEnc',
    '/panel/api/server/getNewSelfSignedCert',
    '/panel/api/server/getNewEchCert',
  ],
  'releases:read': [
    '/panel/api/server/getCoreVersion',
    '/panel/api/server/coreVersionState',
    '/panel/api/server/getPanelUpdateInfo',
  ],
  'releases:run': [
    '/panel/api/server/installCore/:version',
    '/panel/api/server/updatePanel',
  ],
  'geo:run': [
    '/panel/api/server/updateGeofile',
    '/panel/api/server/updateGeofile/:fileName',
    '/panel/api/custom-geo/download/:id',
    '/panel/api/custom-geo/update-all',
  ],
  'backups:export': [
    '/panel/api/server/getDb',
    '/panel/api/server/backups/:name',
  ],
  'backups:restore': [
    '/panel/api/server/importDB',
    '/panel/api/server/backups/check',
    '/panel/api/server/checkDB',
    '/panel/api/server/restore',
    '/panel/api/server/restore/discard',
    '/panel/api/audit/diffUpload',
  ],
  'backups:read': [
    '/panel/api/server/backups',
  ],
  'backups:create': [
    '/panel/api/server/backups/make',
    '/panel/api/backuptochatbot',
    '/panel/api/inbounds/createbackup',
  ],
  'settings:read': [
    '/panel/setting/all',
    '/panel/setting/defaultSettings',
    '/panel/setting/getDefaultJsonConfig',
    '/panel/api/setting/all',
    '/panel/api/setting/defaultSettings',
    '/panel/api/setting/getDefaultJsonConfig',
    '/panel/api/setting/sources',
    '/panel/api/setting/setup',
    '/panel/api/setting/checkCertificate',
    '/panel/api/setting/previewSubscriptionPage',
  ],
  'settings:update': [
    '/panel/setting/update',
    '/panel/api/setting/update',
  ],
  'secrets:update': [
    '/panel/setting/secret',
  ],
  'tokens:read': [
    '/panel/setting/getApiToken',
    '/panel/api/tokens/list',
  ],
  'tokens:update': [
    '/panel/setting/regenerateApiToken',
    '/panel/api/tokens/update/:id',
    '/panel/api/tokens/rotate/:id',
  ],
  'account:update': [
    '/panel/setting/updateUser',
    '/panel/setting/twoFactor/propose',
    '/panel/setting/twoFactor/enable',
    '/panel/setting/twoFactor/disable',
    '/panel/setting/twoFactor/recoveryCodes',
    '/panel/setting/passkeys/options',
    '/panel/setting/passkeys/add',
    '/panel/setting/passkeys/remove/:id',
  ],
  'account:read': [
    '/panel/setting/account',
    '/panel/setting/sessions',
    '/panel/setting/factors',
    '/panel/api/admins/me',
  ],
  'server:run': [
    '/panel/setting/restartPanel',
    '/panel/api/setting/restartPanel',
  ],
  'core:update': [
    '/panel/core/update',
    '/panel/core/resetOutboundsTraffic',
    '/panel/core/wgprov/:action',
    '/panel/core/vpnprov/:action',
    '/panel/api/xray/update',
    '/panel/api/xray/resetOutboundsTraffic',
    '/panel/api/xray/wgprov/:action',
    '/panel/api/xray/vpnprov/:action',
  ],
  'geo:read': [
    '/panel/api/custom-geo/list',
    '/panel/api/custom-geo/aliases',
  ],
  'geo:create': [
    '/panel/api/custom-geo/add',
  ],
  'geo:update': [
    '/panel/api/custom-geo/update/:id',
  ],
  'geo:delete': [
    '/panel/api/custom-geo/delete/:id',
  ],
  'nodes:read': [
    '/panel/api/nodes/list',
    '/panel/api/nodes/get/:id',
    '/panel/api/nodes/:id/sync',
    '/panel/api/nodes/history/:id/:metric/:bucket',
  ],
  'nodes:create': [
    '/panel/api/nodes/add',
  ],
  'nodes:update': [
    '/panel/api/nodes/update/:id',
    '/panel/api/nodes/setEnable/:id',
  ],
  'nodes:delete': [
    '/panel/api/nodes/del/:id',
  ],
  'nodes:run': [
    '/panel/api/nodes/test',
    '/panel/api/nodes/probe/:id',
  ],
  'cluster:read': [
    '/panel/api/cluster/state',
    '/panel/api/cluster/members',
  ],
  'cluster:create': [
    '/panel/api/cluster/requests',
    '/panel/api/cluster/approve',
  ],
  'cluster:run': [
    '/panel/api/cluster/stepDown',
    '/panel/api/cluster/verify',
  ],
  'cluster:delete': [
    '/panel/api/cluster/remove',
  ],
  'audit:read': [
    '/panel/api/events',
    '/panel/api/audit/diff',
    '/panel/api/audit/page',
    '/panel/api/audit/types',
    '/panel/api/audit/chain',
    '/panel/api/audit/verify',
    '/panel/api/audit/export',
    '/panel/api/audit/:position',
    '/panel/api/audit/:position/members',
  ],
  'audit:undo': [
    '/panel/api/events/:position/undo',
  ],
  'audit:recount': [
    '/panel/api/audit/recount/preview',
    '/panel/api/audit/recount/apply',
  ],
  'audit:export': [
    '/panel/api/audit/capsule',
  ],
  'proof:read': [
    '/panel/api/proof/status',
    '/panel/api/proof/heads',
    '/panel/api/proof/heads.jsonl',
    '/panel/api/proof/events.jsonl',
    '/panel/api/proof/verify-log.mjs',
    '/panel/api/proof/inclusion/:position',
    '/panel/api/proof/consistency',
    '/panel/api/proof/received/:panel',
  ],
  'proof:run': [
    '/panel/api/proof/publish',
  ],
  'proof:create': [
    '/panel/api/proof/received',
  ],
  'admins:read': [
    '/panel/api/admins/list',
    '/panel/api/admins/sessions/:id',
    '/panel/api/roles/list',
  ],
  'admins:create': [
    '/panel/api/admins/add',
  ],
  'admins:update': [
    '/panel/api/admins/access/:id',
    '/panel/api/admins/password/:id',
    '/panel/api/admins/handOver',
    '/panel/api/admins/endSessions/:id',
    '/panel/api/roles/save',
  ],
  'admins:delete': [
    '/panel/api/admins/del/:id',
    '/panel/api/roles/del/:name',
  ],
  'tokens:create': [
    '/panel/api/tokens/add',
  ],
  'tokens:delete': [
    '/panel/api/tokens/revoke/:id',
  ],
  'metrics:read': [
    '/panel/api/metrics',
  ],
  'personalData:export': [
    '/panel/api/personalData/export/:email',
  ],
  'personalData:erase': [
    '/panel/api/personalData/erase/:email',
  ],
  'personalData:read': [
    '/panel/api/personalData/certificates',
    '/panel/api/personalData/certificate/:position',
    '/panel/api/personalData/holds',
  ],
  'personalData:hold': [
    '/panel/api/personalData/hold',
    '/panel/api/personalData/release/:id',
  ],
  'webhooks:read': [
    '/panel/api/webhooks/list',
    '/panel/api/webhooks/deadLetters/:id',
  ],
  'webhooks:create': [
    '/panel/api/webhooks/add',
  ],
  'webhooks:update': [
    '/panel/api/webhooks/update/:id',
    '/panel/api/webhooks/rotateSecret/:id',
    '/panel/api/webhooks/pause/:id',
    '/panel/api/webhooks/resume/:id',
    '/panel/api/webhooks/discard/:id',
  ],
  'webhooks:run': [
    '/panel/api/webhooks/replay/:id',
    '/panel/api/webhooks/test/:id',
    '/panel/api/webhooks/redeliver/:id',
  ],
  'webhooks:delete': [
    '/panel/api/webhooks/del/:id',
  ],
  'docs:read': [
    '/panel/api/openapi.json',
    '/panel/api-docs',
    '/panel/api-docs/:file',
  ],
} as const satisfies Partial<Record<Permission, readonly (keyof Gets | keyof Posts)[]>>;

/** The paths that answer `?at=` for an earlier moment. */
export const AT_PATHS: readonly (keyof Gets | keyof Posts)[] = [
  '/panel/api/inbounds/getClientTraffics/:email',
  '/panel/api/inbounds/getClientTrafficsById/:id',
  '/panel/api/inbounds/getSubLinks/:subId',
  '/panel/api/inbounds/getClientLinks/:id/:email',
  '/panel/api/clients/page',
  '/panel/api/clients/search',
  '/panel/api/clients/export',
  '/panel/api/clients/export',
  '/panel/api/clients/links',
  '/panel/api/clients/inbounds',
  '/panel/api/clients/:email/details',
  '/panel/api/clients/:email/statement',
  '/panel/api/inbounds/overview',
  '/panel/api/inbounds/overview/:id',
  '/panel/api/inbounds/list',
  '/panel/api/inbounds/get/:id',
  '/panel/api/server/getConfigJson',
  '/panel/setting/all',
  '/panel/setting/defaultSettings',
  '/panel/api/setting/all',
  '/panel/api/setting/defaultSettings',
  '/panel/api/setting/sources',
  '/panel/core/',
  '/panel/core/getOutboundsTraffic',
  '/panel/api/xray/',
  '/panel/api/xray/getOutboundsTraffic',
  '/panel/api/nodes/list',
  '/panel/api/nodes/get/:id',
];

export interface Gets {
  '/csrf-token': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/passkey/used': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: boolean;
  };
  '/panel/api/inbounds/getClientTraffics/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: ClientTraffic;
  };
  '/panel/api/inbounds/getClientTrafficsById/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: ClientTraffic | readonly (ClientTraffic)[];
  };
  '/panel/api/inbounds/getSubLinks/:subId': {
    params: { readonly subId: string | number };
    query: undefined;
    body: undefined;
    reply: readonly (string)[];
  };
  '/panel/api/inbounds/getClientLinks/:id/:email': {
    params: { readonly id: string | number; readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: readonly (string)[];
  };
  '/panel/api/clients/page': {
    params: undefined;
    query: { readonly search?: string; readonly state?: "all" | "enabled" | "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly online?: boolean; readonly inbound?: number; readonly node?: number; readonly sort?: "email" | "inbound" | "state" | "used" | "expiry" | "seen" | "comment" | "created"; readonly order?: "asc" | "desc"; readonly offset?: number; readonly limit?: number };
    body: undefined;
    reply: ClientPage;
  };
  '/panel/api/clients/top': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly since: number; readonly clients: readonly ({ readonly email: string; readonly bytes: number })[] };
  };
  '/panel/api/clients/export': {
    params: undefined;
    query: { readonly search?: string; readonly state?: "all" | "enabled" | "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly online?: boolean; readonly inbound?: number; readonly node?: number; readonly sort?: "email" | "inbound" | "state" | "used" | "expiry" | "seen" | "comment" | "created"; readonly order?: "asc" | "desc" };
    body: undefined;
    reply: File;
  };
  '/panel/api/clients/links': {
    params: undefined;
    query: { readonly search?: string; readonly inbound?: number; readonly node?: number; readonly offset?: number; readonly limit?: number };
    body: undefined;
    reply: { readonly clients: readonly ({ readonly id: number; readonly email: string; readonly links: readonly (string)[] })[]; readonly matched: number };
  };
  '/panel/api/clients/inbounds': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly remark: string; readonly tag: string; readonly protocol: string; readonly port: number; readonly enable: boolean; readonly nodeId: number; readonly clients: number; readonly method: string; readonly vision: boolean })[];
  };
  '/panel/api/clients/subscriptions': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly subEnable: boolean; readonly subJsonEnable: boolean; readonly subClashEnable: boolean; readonly subURI: string; readonly subJsonURI: string; readonly subClashURI: string; readonly datepicker: string; readonly zone: string };
  };
  '/panel/api/clients/:email/details': {
    params: { readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly row: ClientRow; readonly version: string; readonly client: Readonly<Record<string, unknown>>; readonly addresses: readonly ({ readonly ip: string; readonly at: number })[] })[];
  };
  '/panel/api/clients/:email/profiles/:id': {
    params: { readonly email: string | number; readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly format: "json" | "clash" | "sing-box"; readonly text: string })[];
  };
  '/panel/api/clients/:email/why': {
    params: { readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly email: string; readonly inbound: { readonly id: number; readonly tag: string; readonly remark: string }; readonly status: string; readonly mayConnect: boolean; readonly rule: string; readonly ruleCode: TextCode; readonly since: { readonly at: number; readonly position: number; readonly by: string; readonly byCode: TextCode } | null; readonly remedies: readonly (string)[]; readonly remedyCodes: readonly (TextCode)[]; readonly also: readonly ({ readonly status: string; readonly rule: string; readonly ruleCode: TextCode; readonly since: { readonly at: number; readonly position: number; readonly by: string; readonly byCode: TextCode } | null; readonly remedies: readonly (string)[]; readonly remedyCodes: readonly (TextCode)[] })[]; readonly siblings: readonly ({ readonly inbound: { readonly id: number; readonly tag: string; readonly remark: string }; readonly status: string; readonly mayConnect: boolean; readonly rule: string; readonly ruleCode: TextCode })[]; readonly earlier: readonly ({ readonly client: number; readonly since: { readonly at: number; readonly position: number; readonly by: string; readonly byCode: TextCode } })[]; readonly story: readonly ({ readonly position: number; readonly at: number; readonly type: string; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly because: { readonly position: number; readonly type: string } | null })[] };
  };
  '/panel/api/clients/:email/statement': {
    params: { readonly email: string | number };
    query: { readonly from?: string; readonly to?: string; readonly format?: "" | "json" | "csv"; readonly client?: number };
    body: undefined;
    reply: { readonly email: string; readonly zone: string; readonly from: string; readonly to: string; readonly clients: readonly ({ readonly client: number; readonly inbound: string; readonly inboundCode: TextCode; readonly since: number; readonly until: number | null })[]; readonly opening: { readonly up: number; readonly down: number }; readonly used: { readonly up: number; readonly down: number }; readonly changed: { readonly up: number; readonly down: number }; readonly closing: { readonly up: number; readonly down: number }; readonly counter: { readonly up: number; readonly down: number } | null; readonly days: readonly ({ readonly date: string; readonly sources: readonly ({ readonly source: string; readonly sourceCode: TextCode; readonly client: number; readonly inbound: string; readonly inboundCode: TextCode; readonly up: number; readonly down: number })[]; readonly entries: readonly ({ readonly at: number; readonly position: number; readonly client: number; readonly kind: string; readonly rule: string; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly up: number; readonly down: number })[]; readonly balance: { readonly up: number; readonly down: number } })[] };
  };
  '/panel/api/inbounds/overview': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (InboundSummary)[];
  };
  '/panel/api/inbounds/overview/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: InboundForm;
  };
  '/panel/api/inbounds/freePort': {
    params: undefined;
    query: { readonly prefer?: number };
    body: undefined;
    reply: number;
  };
  '/panel/api/inbounds/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (Inbound)[];
  };
  '/panel/api/inbounds/get/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: Inbound;
  };
  '/panel/api/server/status': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Status;
  };
  '/panel/api/server/getWebCertFiles': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly webCertFile: string; readonly webKeyFile: string };
  };
  '/panel/api/server/attention': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly certificates: readonly ({ readonly server: "panel" | "subscription"; readonly expiresAt: number; readonly problem: string; readonly problemCode: TextCode })[]; readonly inboundCertificates: readonly ({ readonly id: number; readonly remark: string; readonly tag: string; readonly expiresAt: number })[]; readonly refusedInbounds: readonly ({ readonly id: number; readonly remark: string; readonly tag: string; readonly problem: string; readonly problemCode: TextCode })[]; readonly webhooks: readonly ({ readonly id: number; readonly name: string; readonly failingSince: number; readonly gone: boolean; readonly deadLetters: number; readonly problem: string; readonly problemCode: TextCode })[]; readonly failingHeadSinks: readonly ({ readonly sink: "webhook" | "chat" | "file" | "git" | "panel"; readonly name: string; readonly problem: string; readonly problemCode: TextCode })[]; readonly headConflicts: readonly ({ readonly panel: string; readonly position: number })[] };
  };
  '/panel/api/server/cpuHistory/:bucket': {
    params: { readonly bucket: "2" | "30" | "60" | "120" | "180" | "300" };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly t: number; readonly v: number; readonly cpu: number })[];
  };
  '/panel/api/server/history/:metric/:bucket': {
    params: { readonly metric: "cpu" | "mem" | "netUp" | "netDown" | "online" | "load1" | "load5" | "load15"; readonly bucket: "2" | "30" | "60" | "120" | "180" | "300" };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly t: number; readonly v: number })[];
  };
  '/panel/api/server/coreMetricsState': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly enabled: boolean; readonly listen: string; readonly reason?: string; readonly reasonCode?: TextCode; readonly keys: readonly (string)[]; readonly values: Readonly<Record<string, number>> };
  };
  '/panel/api/server/coreMetricsHistory/:metric/:bucket': {
    params: { readonly metric: "coreAlloc" | "coreSys" | "coreHeapObjects" | "coreNumGC" | "corePauseNs" | "xrAlloc" | "xrSys" | "xrHeapObjects" | "xrNumGC" | "xrPauseNs"; readonly bucket: "2" | "30" | "60" | "120" | "180" | "300" };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly t: number; readonly v: number })[];
  };
  '/panel/api/server/coreObservatory': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly tag: string; readonly alive: boolean; readonly delay: number; readonly lastSeenTime: number; readonly lastTryTime: number; readonly updatedAt: number })[];
  };
  '/panel/api/server/coreObservatoryHistory/:tag/:bucket': {
    params: { readonly tag: string | number; readonly bucket: "2" | "30" | "60" | "120" | "180" | "300" };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly t: number; readonly v: number })[];
  };
  '/panel/api/server/getConfigJson': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/api/server/getNewUUID': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string | { readonly uuid: string };
  };
  '/panel/api/server/getNewX25519Cert': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly privateKey: string; readonly publicKey: string };
  };
  '/panel/api/server/getNewmldsa65': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly privateKey: string; readonly publicKey: string; readonly seed: string; readonly verify: string };
  };
  '/panel/api/server/getNewmlkem768': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly clientKey: string; readonly serverKey: string; readonly seed: string; readonly client: string };
  };
  '/panel/api/server/getNewVlessEnc': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly auths: readonly ({ readonly id: number | string; readonly label: string; readonly encryption: string; readonly decryption: string })[] };
  };
  '/panel/api/server/getCoreVersion': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (string)[];
  };
  '/panel/api/server/coreVersionState': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly installed: readonly (string)[]; readonly fixedBy: string; readonly previous: string; readonly trialUntil: number; readonly rolledBack: { readonly at: number; readonly version: string; readonly restored: string; readonly reason: string; readonly reasonCode: TextCode } | null };
  };
  '/panel/api/server/getPanelUpdateInfo': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly currentVersion: string; readonly latestVersion: string; readonly updateAvailable: boolean };
  };
  '/panel/api/server/getDb': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/server/backups': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly last: { readonly at: number; readonly why: string | null; readonly whyCode: TextCode } | null; readonly lastGood: { readonly at: number; readonly name: string; readonly position: number; readonly bytes: number; readonly sealed: boolean } | null; readonly next: number | null; readonly late: boolean; readonly files: readonly ({ readonly name: string; readonly bytes: number; readonly at: number })[] };
  };
  '/panel/api/server/backups/:name': {
    params: { readonly name: string | number };
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/server/restore': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly id: string; readonly name: string | null; readonly startedAt: number; readonly phase: "waiting" | "reading" | "verifying" | "importing" | "preparing" | "ready" | "refused"; readonly done: number; readonly total: number; readonly why: string | null; readonly whyCode: TextCode; readonly report: { readonly kind: "portolan" | "3x-ui"; readonly sha256: string; readonly backup: { readonly position: number; readonly madeAt: number; readonly release: string; readonly newer: number | null } | null; readonly before: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly kept: readonly ({ readonly key: string; readonly why: string; readonly whyCode: TextCode })[]; readonly import: { readonly version: string; readonly tables: readonly ({ readonly table: string; readonly rows: number; readonly changed: number; readonly skipped: number })[]; readonly before: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly skipped: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly found: number; readonly findings: readonly ({ readonly table: string; readonly item: string; readonly outcome: "skipped" | "changed" | "noted"; readonly reason: string; readonly reasonCode: TextCode })[] } | null; readonly basePath: string } | null } | null;
  };
  '/panel/api/inbounds/createbackup': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly chatId: number; readonly success: boolean; readonly msg: string; readonly msgCode: TextCode })[];
  };
  '/panel/setting/getDefaultJsonConfig': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/setting/getApiToken': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/setting/getDefaultJsonConfig': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/api/setting/sources': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: SettingSources;
  };
  '/panel/api/setting/setup': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly password: boolean; readonly basePath: boolean; readonly certificate: boolean; readonly inbound: boolean };
  };
  '/panel/api/setting/previewSubscriptionPage': {
    params: undefined;
    query: { readonly title?: string; readonly announce?: string; readonly supportUrl?: string; readonly lang?: string };
    body: undefined;
    reply: File;
  };
  '/panel/setting/account': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly username: string; readonly twoFactorEnable: boolean };
  };
  '/panel/setting/sessions': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (Session)[];
  };
  '/panel/setting/factors': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly twoFactor: boolean; readonly recoveryCodes: number; readonly passkeys: readonly ({ readonly id: number; readonly name: string; readonly host: string; readonly createdAt: number; readonly usedAt: number | null })[] };
  };
  '/panel/core/getDefaultJsonConfig': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/core/getOutboundsTraffic': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly tag: string; readonly up: number; readonly down: number; readonly total: number })[];
  };
  '/panel/core/getCoreResult': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/xray/getDefaultJsonConfig': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/api/xray/getOutboundsTraffic': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly tag: string; readonly up: number; readonly down: number; readonly total: number })[];
  };
  '/panel/api/xray/getXrayResult': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/custom-geo/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly type: "geoip" | "geosite"; readonly alias: string; readonly url: string; readonly status: "ok" | "failed" | "never"; readonly error: string; readonly errorCode: TextCode; readonly lastDownload: number; readonly fileName: string; readonly tags: readonly (string)[]; readonly size: number; readonly localPath: string; readonly lastUpdatedAt: number; readonly lastModified: string; readonly createdAt: number; readonly updatedAt: number })[];
  };
  '/panel/api/custom-geo/aliases': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly geosite: readonly ({ readonly alias: string; readonly type: "geoip" | "geosite"; readonly fileName: string; readonly extExample: string; readonly builtIn: boolean; readonly present: boolean; readonly bytes: number; readonly writtenAt: number; readonly checkedAt: number; readonly error: string; readonly errorCode: TextCode })[] | null; readonly geoip: readonly ({ readonly alias: string; readonly type: "geoip" | "geosite"; readonly fileName: string; readonly extExample: string; readonly builtIn: boolean; readonly present: boolean; readonly bytes: number; readonly writtenAt: number; readonly checkedAt: number; readonly error: string; readonly errorCode: TextCode })[] | null };
  };
  '/panel/api/nodes/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (Node)[];
  };
  '/panel/api/nodes/get/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: Node;
  };
  '/panel/api/nodes/:id/sync': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: NodeSync;
  };
  '/panel/api/nodes/history/:id/:metric/:bucket': {
    params: { readonly id: string | number; readonly metric: "cpu" | "mem" | "latency" | "lag"; readonly bucket: "2" | "30" | "60" | "120" | "180" | "300" };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly t: number; readonly v: number })[];
  };
  '/panel/api/cluster/state': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: ClusterState;
  };
  '/panel/api/cluster/members': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (ClusterMember)[];
  };
  '/panel/api/cluster/requests': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (JoinRequest)[];
  };
  '/panel/api/cluster/verify': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly sound: boolean; readonly fault: "" | "missing" | "purged" | "shortened" | "incomplete" | "building"; readonly difference: { readonly what: "missing" | "changed" | "other"; readonly position: number; readonly sequence: number } | null; readonly messages: number; readonly position: number; readonly problem: string; readonly problemCode: TextCode };
  };
  '/panel/api/events': {
    params: undefined;
    query: { readonly after?: string; readonly limit?: number; readonly types?: string; readonly wait?: number; readonly generation?: string };
    body: undefined;
    reply: { readonly events: readonly ({ readonly position: number; readonly id: string; readonly type: string; readonly stream: string; readonly version: number; readonly at: number; readonly actor: { readonly kind: string; readonly id: string; readonly name: string; readonly role?: string; readonly admin?: string }; readonly correlationId: string; readonly causationId: string | null; readonly data: Readonly<Record<string, unknown>>; readonly emails?: Readonly<Record<string, string>> })[]; readonly next: number; readonly cursor: string; readonly head: number; readonly generation: string };
  };
  '/panel/api/audit/capsule': {
    params: undefined;
    query: { readonly around?: number; readonly client?: string };
    body: undefined;
    reply: File;
  };
  '/panel/api/audit/diff': {
    params: undefined;
    query: { readonly from: string; readonly to?: string; readonly noun?: "" | "inbound" | "client" | "node" | "settings" | "core" | "role" | "admin" | "token" | "webhook" | "hold" | "geoSource"; readonly client?: string; readonly skip?: number; readonly limit?: number; readonly format?: "json" | "text" };
    body: undefined;
    reply: { readonly from: { readonly position: number; readonly at: number }; readonly to: { readonly position: number; readonly at: number }; readonly counts: { readonly added: number; readonly removed: number; readonly changed: number }; readonly documents: readonly ({ readonly noun: "inbound" | "client" | "node" | "settings" | "core" | "role" | "admin" | "token" | "webhook" | "hold" | "geoSource"; readonly number: number; readonly name: string; readonly change: "added" | "removed" | "changed"; readonly fields: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean; readonly erased: boolean; readonly position: number | null })[]; readonly events: readonly ({ readonly position: number; readonly at: number; readonly type: string; readonly by: string; readonly byCode: TextCode })[] })[] };
  };
  '/panel/api/audit/page': {
    params: undefined;
    query: { readonly types?: string; readonly group?: "" | "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly routine?: boolean; readonly client?: string; readonly inbound?: number; readonly node?: number; readonly by?: "" | "user" | "token" | "bot" | "node" | "system"; readonly actor?: string; readonly ip?: "" | string; readonly from?: number; readonly to?: number; readonly before?: number; readonly after?: number; readonly limit?: number };
    body: undefined;
    reply: { readonly events: readonly ({ readonly position: number; readonly id: string; readonly at: number; readonly type: string; readonly group: "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly subject: { readonly kind: "client" | "inbound" | "node" | "user" | "geoSource" | "token"; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly actor: { readonly kind: "user" | "token" | "bot" | "node" | "system"; readonly id: string; readonly name: string; readonly ip: string | null; readonly role?: string; readonly admin?: string }; readonly ip: string | null; readonly cause: { readonly position: number; readonly type: string } | null })[]; readonly next: number; readonly head: number; readonly generation: string };
  };
  '/panel/api/audit/types': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly type: string; readonly group: "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly routine: boolean })[];
  };
  '/panel/api/audit/chain': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly generation: string; readonly head: { readonly position: number; readonly hash: string }; readonly verified: { readonly position: number; readonly at: number; readonly hash: string | null } | null };
  };
  '/panel/api/audit/verify': {
    params: undefined;
    query: { readonly after?: number; readonly limit?: number };
    body: undefined;
    reply: { readonly position: number; readonly head: number; readonly fault: { readonly position: number; readonly what: string; readonly whatCode: TextCode } | null };
  };
  '/panel/api/audit/export': {
    params: undefined;
    query: { readonly types?: string; readonly group?: "" | "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly routine?: boolean; readonly client?: string; readonly inbound?: number; readonly node?: number; readonly by?: "" | "user" | "token" | "bot" | "node" | "system"; readonly actor?: string; readonly ip?: "" | string; readonly from?: number; readonly to?: number; readonly format?: "jsonl" | "csv" };
    body: undefined;
    reply: File;
  };
  '/panel/api/audit/:position': {
    params: { readonly position: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly entry: { readonly position: number; readonly id: string; readonly at: number; readonly type: string; readonly group: "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly subject: { readonly kind: "client" | "inbound" | "node" | "user" | "geoSource" | "token"; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly actor: { readonly kind: "user" | "token" | "bot" | "node" | "system"; readonly id: string; readonly name: string; readonly ip: string | null; readonly role?: string; readonly admin?: string }; readonly ip: string | null; readonly cause: { readonly position: number; readonly type: string } | null }; readonly changes: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean })[]; readonly members: number; readonly causes: readonly ({ readonly position: number; readonly id: string; readonly at: number; readonly type: string; readonly group: "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly subject: { readonly kind: "client" | "inbound" | "node" | "user" | "geoSource" | "token"; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly actor: { readonly kind: "user" | "token" | "bot" | "node" | "system"; readonly id: string; readonly name: string; readonly ip: string | null; readonly role?: string; readonly admin?: string }; readonly ip: string | null; readonly cause: { readonly position: number; readonly type: string } | null })[]; readonly effects: readonly ({ readonly position: number; readonly id: string; readonly at: number; readonly type: string; readonly group: "clients" | "inbounds" | "nodes" | "access" | "settings" | "core" | "geo" | "backups" | "traffic" | "panel"; readonly subject: { readonly kind: "client" | "inbound" | "node" | "user" | "geoSource" | "token"; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly byCode: TextCode; readonly actor: { readonly kind: "user" | "token" | "bot" | "node" | "system"; readonly id: string; readonly name: string; readonly ip: string | null; readonly role?: string; readonly admin?: string }; readonly ip: string | null; readonly cause: { readonly position: number; readonly type: string } | null })[]; readonly moreEffects: boolean; readonly removed: boolean; readonly hash: string; readonly moment: number; readonly event: Readonly<Record<string, unknown>> };
  };
  '/panel/api/audit/:position/members': {
    params: { readonly position: string | number };
    query: { readonly skip?: number; readonly limit?: number };
    body: undefined;
    reply: { readonly members: readonly ({ readonly subject: { readonly kind: "client" | "inbound" | "node" | "user" | "geoSource" | "token"; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly changes: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean })[] })[]; readonly total: number };
  };
  '/panel/api/proof/status': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: ProofStatus;
  };
  '/panel/api/proof/heads': {
    params: undefined;
    query: { readonly after?: number; readonly limit?: number; readonly newest?: boolean };
    body: undefined;
    reply: readonly (SignedHead)[];
  };
  '/panel/api/proof/heads.jsonl': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/proof/events.jsonl': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/proof/verify-log.mjs': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/proof/inclusion/:position': {
    params: { readonly position: string | number };
    query: { readonly size?: number };
    body: undefined;
    reply: InclusionProof;
  };
  '/panel/api/proof/consistency': {
    params: undefined;
    query: { readonly from?: number; readonly to?: number };
    body: undefined;
    reply: ConsistencyProof;
  };
  '/panel/api/proof/received/:panel': {
    params: { readonly panel: string | number };
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/admins/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (Admin)[];
  };
  '/panel/api/admins/me': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly username: string; readonly role: string; readonly inbounds: readonly (number)[]; readonly quotas: { readonly clients: number; readonly totalBytes: number; readonly clientBytes: number; readonly days: number }; readonly clients: number; readonly capBytes: number; readonly lastLoginAt: number; readonly grants: readonly ({ readonly permission: string; readonly scope: "all" | "own" | "inbounds" })[] };
  };
  '/panel/api/admins/sessions/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: readonly (Session)[];
  };
  '/panel/api/roles/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly roles: readonly ({ readonly name: string; readonly builtIn: boolean; readonly grants: readonly ({ readonly permission: string; readonly scope: "all" | "own" | "inbounds" })[]; readonly admins: number })[]; readonly permissions: readonly ({ readonly permission: string; readonly reserved: boolean; readonly scoped: boolean })[] };
  };
  '/panel/api/tokens/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (AccessToken)[];
  };
  '/panel/api/metrics': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api/personalData/certificates': {
    params: undefined;
    query: { readonly before?: number };
    body: undefined;
    reply: readonly ({ readonly position: number; readonly at: number; readonly id: string; readonly hash: string; readonly generation: string; readonly by: string; readonly byCode: TextCode; readonly clients: readonly (number)[]; readonly keys: readonly (string)[]; readonly reason: string; readonly text: string })[];
  };
  '/panel/api/personalData/certificate/:position': {
    params: { readonly position: string | number };
    query: { readonly format?: "" | "json" | "text" };
    body: undefined;
    reply: { readonly position: number; readonly at: number; readonly id: string; readonly hash: string; readonly generation: string; readonly by: string; readonly byCode: TextCode; readonly clients: readonly (number)[]; readonly keys: readonly (string)[]; readonly reason: string; readonly text: string };
  };
  '/panel/api/personalData/holds': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly clients: readonly ({ readonly client: number; readonly email: string })[]; readonly from: number; readonly to: number; readonly reason: string; readonly by: string; readonly placedAt: number; readonly position: number })[];
  };
  '/panel/api/webhooks/list': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly id: number; readonly name: string; readonly url: string; readonly types: readonly (string)[]; readonly paused: "" | "admin" | "gone"; readonly previousSecretUntil: number; readonly deadLetters: number; readonly createdAt: number; readonly updatedAt: number; readonly status: { readonly position: number; readonly lag: number; readonly attempts: number; readonly failingSince: number; readonly nextAttemptAt: number; readonly lastDeliveredAt: number; readonly delivered: number; readonly failed: number; readonly problem: string; readonly problemCode: TextCode } })[];
  };
  '/panel/api/webhooks/deadLetters/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly position: number; readonly type: string; readonly attempts: number; readonly at: number; readonly problem: string; readonly problemCode: TextCode })[];
  };
  '/panel/api/openapi.json': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api-docs': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: File;
  };
  '/panel/api-docs/:file': {
    params: { readonly file: string | number };
    query: undefined;
    body: undefined;
    reply: File;
  };
}

export interface Posts {
  '/login': {
    params: undefined;
    query: undefined;
    body: { readonly username?: string; readonly password?: string; readonly twoFactorCode?: string };
    reply: null;
  };
  '/logout': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/getTwoFactorEnable': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: boolean;
  };
  '/passkey/options': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/passkey/login': {
    params: undefined;
    query: undefined;
    body: { readonly response: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string } } };
    reply: null;
  };
  '/panel/api/inbounds/clientIps/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: readonly (string)[];
  };
  '/panel/api/inbounds/clearClientIps/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/addClient': {
    params: undefined;
    query: undefined;
    body: { readonly id: number; readonly settings: string };
    reply: null;
  };
  '/panel/api/inbounds/updateClient/:clientId': {
    params: { readonly clientId: string | number };
    query: undefined;
    body: { readonly id: number; readonly settings: string; readonly expectedVersion?: string };
    reply: null;
  };
  '/panel/api/inbounds/resetAllClientTraffics/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/delDepletedClients/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/onlines': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly (string)[];
  };
  '/panel/api/inbounds/lastOnline': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly email: string; readonly lastOnline: number })[] | Readonly<Record<string, number>>;
  };
  '/panel/api/inbounds/updateClientTraffic/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: { readonly upload?: number; readonly download?: number };
    reply: null;
  };
  '/panel/api/inbounds/:id/copyClients': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly sourceInboundId: number; readonly clientEmails?: readonly (unknown)[]; readonly flow?: string };
    reply: { readonly added: readonly (string)[]; readonly skipped: readonly (string)[]; readonly errors: readonly (string)[] };
  };
  '/panel/api/inbounds/:id/delClient/:clientId': {
    params: { readonly id: string | number; readonly clientId: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/:id/delClientByEmail/:email': {
    params: { readonly id: string | number; readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/:id/resetClientTraffic/:email': {
    params: { readonly id: string | number; readonly email: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/clients/search': {
    params: undefined;
    query: undefined;
    body: { readonly search?: string; readonly state?: "all" | "enabled" | "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly online?: boolean; readonly inbound?: number; readonly node?: number; readonly sort?: "email" | "inbound" | "state" | "used" | "expiry" | "seen" | "comment" | "created"; readonly order?: "asc" | "desc"; readonly offset?: number; readonly limit?: number };
    reply: ClientPage;
  };
  '/panel/api/clients/export': {
    params: undefined;
    query: undefined;
    body: { readonly search?: string; readonly state?: "all" | "enabled" | "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly online?: boolean; readonly inbound?: number; readonly node?: number; readonly sort?: "email" | "inbound" | "state" | "used" | "expiry" | "seen" | "comment" | "created"; readonly order?: "asc" | "desc" };
    reply: File;
  };
  '/panel/api/clients/change': {
    params: undefined;
    query: undefined;
    body: { readonly action: "enable" | "disable" | "reset" | "extend" | "addTraffic" | "move" | "delete"; readonly clients?: readonly (number)[]; readonly search?: string; readonly state?: "all" | "enabled" | "active" | "expiring" | "high" | "depleted" | "expired" | "disabled"; readonly online?: boolean; readonly inbound?: number; readonly node?: number; readonly except?: readonly (number)[]; readonly days?: number; readonly bytes?: number; readonly to?: number; readonly preview?: boolean };
    reply: { readonly clients: readonly (number)[]; readonly changed: number; readonly disconnected: number; readonly reconnected: number; readonly used: number; readonly rekeyed: number; readonly sample: readonly (string)[]; readonly names: { readonly disconnected: readonly (string)[]; readonly reconnected: readonly (string)[]; readonly others: readonly (string)[]; readonly same: readonly (string)[] }; readonly undo: { readonly terms: readonly ({ readonly client: number; readonly enabled?: boolean; readonly capBytes?: number; readonly expiresAt?: number })[]; readonly counters: readonly ({ readonly email: string; readonly up: number; readonly down: number })[]; readonly deleted: readonly ({ readonly inbound: number; readonly client: Readonly<Record<string, unknown>> })[]; readonly moved: readonly ({ readonly number: number; readonly inbound: number; readonly client: Readonly<Record<string, unknown>> })[] } | null };
  };
  '/panel/api/clients/restore': {
    params: undefined;
    query: undefined;
    body: { readonly terms?: readonly ({ readonly client: number; readonly enabled?: boolean; readonly capBytes?: number; readonly expiresAt?: number })[]; readonly counters?: readonly ({ readonly email: string; readonly up: number; readonly down: number })[]; readonly deleted?: readonly ({ readonly inbound: number; readonly client: Readonly<Record<string, unknown>> })[]; readonly moved?: readonly ({ readonly number: number; readonly inbound: number; readonly client: Readonly<Record<string, unknown>> })[] };
    reply: null;
  };
  '/panel/api/inbounds/delete/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly position: number };
  };
  '/panel/api/inbounds/importAll': {
    params: undefined;
    query: undefined;
    body: { readonly inbounds: readonly (Readonly<Record<string, unknown>>)[]; readonly preview?: boolean };
    reply: { readonly added: readonly (number)[]; readonly position: number; readonly inbounds: readonly ({ readonly remark: string; readonly protocol: string; readonly port: number; readonly clients: number; readonly problem: string })[] };
  };
  '/panel/api/inbounds/check': {
    params: undefined;
    query: undefined;
    body: { readonly enable?: boolean; readonly remark?: string; readonly listen?: string; readonly port?: number; readonly protocol?: string; readonly tag?: string; readonly total?: number; readonly expiryTime?: number; readonly trafficReset?: string; readonly settings?: string; readonly streamSettings?: string; readonly sniffing?: string; readonly nodeId?: number; readonly machine?: string; readonly id?: number };
    reply: { readonly tested: boolean };
  };
  '/panel/api/inbounds/preview': {
    params: undefined;
    query: undefined;
    body: { readonly enable?: boolean; readonly remark?: string; readonly listen?: string; readonly port?: number; readonly protocol?: string; readonly tag?: string; readonly total?: number; readonly expiryTime?: number; readonly trafficReset?: string; readonly settings?: string; readonly streamSettings?: string; readonly sniffing?: string; readonly nodeId?: number; readonly machine?: string; readonly id?: number };
    reply: { readonly links: readonly (string)[]; readonly sample: boolean };
  };
  '/panel/api/inbounds/add': {
    params: undefined;
    query: undefined;
    body: { readonly enable?: boolean; readonly remark?: string; readonly listen?: string; readonly port?: number; readonly protocol?: string; readonly tag?: string; readonly total?: number; readonly expiryTime?: number; readonly trafficReset?: string; readonly settings?: string; readonly streamSettings?: string; readonly sniffing?: string; readonly nodeId?: number; readonly machine?: string };
    reply: Inbound;
  };
  '/panel/api/inbounds/del/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: number;
  };
  '/panel/api/inbounds/update/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly enable?: boolean; readonly remark?: string; readonly listen?: string; readonly port?: number; readonly protocol?: string; readonly tag?: string; readonly total?: number; readonly expiryTime?: number; readonly trafficReset?: string; readonly settings?: string; readonly streamSettings?: string; readonly sniffing?: string; readonly nodeId?: number; readonly machine?: string; readonly expectedVersion?: string };
    reply: Inbound;
  };
  '/panel/api/inbounds/setEnable/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly enable: boolean };
    reply: null;
  };
  '/panel/api/inbounds/resetAllTraffics': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/inbounds/import': {
    params: undefined;
    query: undefined;
    body: { readonly data: string };
    reply: Inbound;
  };
  '/panel/api/inbounds/:id/resetTraffic': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/server/logs/:count': {
    params: { readonly count: string | number };
    query: undefined;
    body: { readonly level?: string; readonly syslog?: boolean };
    reply: string | readonly (string)[];
  };
  '/panel/api/server/corelogs/:count': {
    params: { readonly count: string | number };
    query: undefined;
    body: { readonly filter?: string; readonly showDirect?: boolean; readonly showBlocked?: boolean; readonly showProxy?: boolean };
    reply: string | readonly ({ readonly DateTime: string; readonly FromAddress: string; readonly ToAddress: string; readonly Inbound: string; readonly Outbound: string; readonly Email: string; readonly Event: number })[];
  };
  '/panel/api/server/stopCoreService': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/server/restartCoreService': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/server/getNewSelfSignedCert': {
    params: undefined;
    query: undefined;
    body: { readonly sni?: string };
    reply: { readonly certificate: readonly (string)[]; readonly key: readonly (string)[]; readonly sha256: string };
  };
  '/panel/api/server/getNewEchCert': {
    params: undefined;
    query: undefined;
    body: { readonly sni?: string };
    reply: { readonly echKeySet: string; readonly echServerKeys: readonly (string)[] | string; readonly echConfigList: string };
  };
  '/panel/api/server/installCore/:version': {
    params: { readonly version: string | number };
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/server/updatePanel': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/server/updateGeofile': {
    params: undefined;
    query: undefined;
    body: { readonly fileName?: string };
    reply: readonly ({ readonly file: string; readonly outcome: "updated" | "unchanged" | "failed"; readonly sha256: string | null; readonly reason: string | null })[];
  };
  '/panel/api/server/updateGeofile/:fileName': {
    params: { readonly fileName: string | number };
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly file: string; readonly outcome: "updated" | "unchanged" | "failed"; readonly sha256: string | null; readonly reason: string | null })[];
  };
  '/panel/api/server/importDB': {
    params: undefined;
    query: undefined;
    body: FormData;
    reply: string;
  };
  '/panel/api/server/backups/make': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/server/backups/check': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly passphrase?: string };
    reply: { readonly id: string; readonly name: string | null; readonly startedAt: number; readonly phase: "waiting" | "reading" | "verifying" | "importing" | "preparing" | "ready" | "refused"; readonly done: number; readonly total: number; readonly why: string | null; readonly whyCode: TextCode; readonly report: { readonly kind: "portolan" | "3x-ui"; readonly sha256: string; readonly backup: { readonly position: number; readonly madeAt: number; readonly release: string; readonly newer: number | null } | null; readonly before: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly kept: readonly ({ readonly key: string; readonly why: string; readonly whyCode: TextCode })[]; readonly import: { readonly version: string; readonly tables: readonly ({ readonly table: string; readonly rows: number; readonly changed: number; readonly skipped: number })[]; readonly before: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly skipped: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly found: number; readonly findings: readonly ({ readonly table: string; readonly item: string; readonly outcome: "skipped" | "changed" | "noted"; readonly reason: string; readonly reasonCode: TextCode })[] } | null; readonly basePath: string } | null };
  };
  '/panel/api/server/checkDB': {
    params: undefined;
    query: undefined;
    body: FormData;
    reply: { readonly id: string; readonly name: string | null; readonly startedAt: number; readonly phase: "waiting" | "reading" | "verifying" | "importing" | "preparing" | "ready" | "refused"; readonly done: number; readonly total: number; readonly why: string | null; readonly whyCode: TextCode; readonly report: { readonly kind: "portolan" | "3x-ui"; readonly sha256: string; readonly backup: { readonly position: number; readonly madeAt: number; readonly release: string; readonly newer: number | null } | null; readonly before: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly nodes: number; readonly admins: number }; readonly kept: readonly ({ readonly key: string; readonly why: string; readonly whyCode: TextCode })[]; readonly import: { readonly version: string; readonly tables: readonly ({ readonly table: string; readonly rows: number; readonly changed: number; readonly skipped: number })[]; readonly before: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly after: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly skipped: { readonly inbounds: number; readonly clients: number; readonly inboundUp: number; readonly inboundDown: number; readonly clientUp: number; readonly clientDown: number; readonly outboundUp: number; readonly outboundDown: number }; readonly found: number; readonly findings: readonly ({ readonly table: string; readonly item: string; readonly outcome: "skipped" | "changed" | "noted"; readonly reason: string; readonly reasonCode: TextCode })[] } | null; readonly basePath: string } | null };
  };
  '/panel/api/server/restore': {
    params: undefined;
    query: undefined;
    body: { readonly id?: string };
    reply: null;
  };
  '/panel/api/server/restore/discard': {
    params: undefined;
    query: undefined;
    body: { readonly id?: string };
    reply: null;
  };
  '/panel/api/backuptochatbot': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: readonly ({ readonly chatId: number; readonly success: boolean; readonly msg: string; readonly msgCode: TextCode })[];
  };
  '/panel/setting/all': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Settings;
  };
  '/panel/setting/update': {
    params: undefined;
    query: undefined;
    body: { readonly webListen?: "" | string; readonly webPort?: number; readonly webBasePath?: string; readonly webDomain?: string; readonly webCertFile?: string; readonly webKeyFile?: string; readonly sessionMaxAge?: number; readonly trustedProxyCIDRs?: readonly (string)[] | string; readonly twoFactorEnable?: boolean; readonly apiTokenEnable?: boolean; readonly timeLocation?: string; readonly datepicker?: "gregorian" | "jalalian"; readonly pageSize?: number; readonly expireDiff?: number; readonly trafficDiff?: number; readonly remarkModel?: string; readonly externalTrafficInformEnable?: boolean; readonly externalTrafficInformURI?: string; readonly restartCoreOnClientDisable?: boolean; readonly chatBotEnable?: boolean; readonly chatBotAPIServer?: string; readonly chatBotChatId?: string; readonly chatBotRunTime?: string; readonly chatBotBackup?: boolean; readonly chatBotLoginNotify?: boolean; readonly chatBotCpu?: number; readonly chatBotLang?: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly subEnable?: boolean; readonly subListen?: "" | string; readonly subPort?: number; readonly subPath?: string; readonly subDomain?: string; readonly subCertFile?: string; readonly subKeyFile?: string; readonly subTitle?: string; readonly subSupportUrl?: string; readonly subProfileUrl?: string; readonly subAnnounce?: string; readonly subUpdates?: number; readonly subEncrypt?: boolean; readonly subShowInfo?: boolean; readonly subEnableRouting?: boolean; readonly subRoutingRules?: string; readonly subURI?: string; readonly subJsonEnable?: boolean; readonly subJsonPath?: string; readonly subJsonURI?: string; readonly subJsonFragment?: string; readonly subJsonNoises?: string; readonly subJsonMux?: string; readonly subJsonRules?: string; readonly subClashEnable?: boolean; readonly subClashPath?: string; readonly subClashURI?: string; readonly ldapEnable?: boolean; readonly ldapHost?: string; readonly ldapPort?: number; readonly ldapUseTLS?: boolean; readonly ldapBindDN?: string; readonly ldapBaseDN?: string; readonly ldapUserFilter?: string; readonly ldapUserAttr?: string; readonly ldapVlessField?: string; readonly ldapFlagField?: string; readonly ldapTruthyValues?: string; readonly ldapInvertFlag?: boolean; readonly ldapSyncCron?: string; readonly ldapInboundTags?: string; readonly ldapAutoCreate?: boolean; readonly ldapAutoDelete?: boolean; readonly ldapDefaultTotalGB?: number; readonly ldapDefaultExpiryDays?: number; readonly ldapDefaultLimitIP?: number; readonly backupSchedule?: string; readonly backupKeep?: number; readonly proofWebhook?: string; readonly proofChat?: boolean; readonly proofFile?: string; readonly proofGit?: string; readonly proofPanel?: string; readonly apiDialect?: "spec" | "3x-ui"; readonly coreSplice?: boolean; readonly pollSeconds?: number; readonly ipLimitGraceSeconds?: number; readonly ipLimitKeep?: "newest" | "oldest"; readonly measuredRetentionHours?: number; readonly eraseDeletedAfterDays?: number; readonly geoUpdateSchedule?: string; readonly tgBotEnable?: boolean; readonly tgBotAPIServer?: string; readonly tgBotChatId?: string; readonly tgRunTime?: string; readonly tgBotBackup?: boolean; readonly tgBotLoginNotify?: boolean; readonly tgCpu?: number; readonly tgLang?: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly restartXrayOnClientDisable?: boolean; readonly twoFactorToken?: string; readonly chatBotToken?: string; readonly chatBotProxy?: string; readonly ldapPassword?: string; readonly backupPassphrase?: string; readonly proofPanelToken?: string; readonly wgprov?: string; readonly vpnprov?: string; readonly tgBotToken?: string; readonly tgBotProxy?: string; readonly warp?: string; readonly nord?: string; readonly twoFactorCode?: string; readonly trustEveryProxy?: boolean };
    reply: { readonly errors?: readonly ({ readonly key: string; readonly why: string; readonly code: TextCode })[]; readonly restart?: readonly (string)[]; readonly environment?: Readonly<Record<string, { readonly variable: string; readonly value: string | number }>>; readonly twoFactorToken?: string; readonly otpauthUrl?: string; readonly qr?: string } | null;
  };
  '/panel/setting/defaultSettings': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly expireDiff: number; readonly trafficDiff: number; readonly pageSize: number; readonly defaultCert: string; readonly defaultKey: string; readonly chatBotEnable: boolean; readonly tgBotEnable: boolean; readonly subEnable: boolean; readonly subJsonEnable: boolean; readonly subClashEnable: boolean; readonly subTitle: string; readonly subURI: string; readonly subJsonURI: string; readonly subClashURI: string; readonly remarkModel: string; readonly datepicker: string; readonly ipLimitEnable: boolean };
  };
  '/panel/setting/secret': {
    params: undefined;
    query: undefined;
    body: { readonly key?: string; readonly value: string; readonly twoFactorCode?: string };
    reply: null;
  };
  '/panel/setting/regenerateApiToken': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: string;
  };
  '/panel/api/setting/all': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Settings;
  };
  '/panel/api/setting/update': {
    params: undefined;
    query: undefined;
    body: { readonly webListen?: "" | string; readonly webPort?: number; readonly webBasePath?: string; readonly webDomain?: string; readonly webCertFile?: string; readonly webKeyFile?: string; readonly sessionMaxAge?: number; readonly trustedProxyCIDRs?: readonly (string)[] | string; readonly twoFactorEnable?: boolean; readonly apiTokenEnable?: boolean; readonly timeLocation?: string; readonly datepicker?: "gregorian" | "jalalian"; readonly pageSize?: number; readonly expireDiff?: number; readonly trafficDiff?: number; readonly remarkModel?: string; readonly externalTrafficInformEnable?: boolean; readonly externalTrafficInformURI?: string; readonly restartCoreOnClientDisable?: boolean; readonly chatBotEnable?: boolean; readonly chatBotAPIServer?: string; readonly chatBotChatId?: string; readonly chatBotRunTime?: string; readonly chatBotBackup?: boolean; readonly chatBotLoginNotify?: boolean; readonly chatBotCpu?: number; readonly chatBotLang?: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly subEnable?: boolean; readonly subListen?: "" | string; readonly subPort?: number; readonly subPath?: string; readonly subDomain?: string; readonly subCertFile?: string; readonly subKeyFile?: string; readonly subTitle?: string; readonly subSupportUrl?: string; readonly subProfileUrl?: string; readonly subAnnounce?: string; readonly subUpdates?: number; readonly subEncrypt?: boolean; readonly subShowInfo?: boolean; readonly subEnableRouting?: boolean; readonly subRoutingRules?: string; readonly subURI?: string; readonly subJsonEnable?: boolean; readonly subJsonPath?: string; readonly subJsonURI?: string; readonly subJsonFragment?: string; readonly subJsonNoises?: string; readonly subJsonMux?: string; readonly subJsonRules?: string; readonly subClashEnable?: boolean; readonly subClashPath?: string; readonly subClashURI?: string; readonly ldapEnable?: boolean; readonly ldapHost?: string; readonly ldapPort?: number; readonly ldapUseTLS?: boolean; readonly ldapBindDN?: string; readonly ldapBaseDN?: string; readonly ldapUserFilter?: string; readonly ldapUserAttr?: string; readonly ldapVlessField?: string; readonly ldapFlagField?: string; readonly ldapTruthyValues?: string; readonly ldapInvertFlag?: boolean; readonly ldapSyncCron?: string; readonly ldapInboundTags?: string; readonly ldapAutoCreate?: boolean; readonly ldapAutoDelete?: boolean; readonly ldapDefaultTotalGB?: number; readonly ldapDefaultExpiryDays?: number; readonly ldapDefaultLimitIP?: number; readonly backupSchedule?: string; readonly backupKeep?: number; readonly proofWebhook?: string; readonly proofChat?: boolean; readonly proofFile?: string; readonly proofGit?: string; readonly proofPanel?: string; readonly apiDialect?: "spec" | "3x-ui"; readonly coreSplice?: boolean; readonly pollSeconds?: number; readonly ipLimitGraceSeconds?: number; readonly ipLimitKeep?: "newest" | "oldest"; readonly measuredRetentionHours?: number; readonly eraseDeletedAfterDays?: number; readonly geoUpdateSchedule?: string; readonly tgBotEnable?: boolean; readonly tgBotAPIServer?: string; readonly tgBotChatId?: string; readonly tgRunTime?: string; readonly tgBotBackup?: boolean; readonly tgBotLoginNotify?: boolean; readonly tgCpu?: number; readonly tgLang?: "en-US" | "fa-IR" | "ru-RU" | "zh-CN" | "zh-TW" | "ar-EG" | "es-ES" | "id-ID" | "ja-JP" | "pt-BR" | "tr-TR" | "uk-UA" | "vi-VN"; readonly restartXrayOnClientDisable?: boolean; readonly twoFactorToken?: string; readonly chatBotToken?: string; readonly chatBotProxy?: string; readonly ldapPassword?: string; readonly backupPassphrase?: string; readonly proofPanelToken?: string; readonly wgprov?: string; readonly vpnprov?: string; readonly tgBotToken?: string; readonly tgBotProxy?: string; readonly warp?: string; readonly nord?: string; readonly twoFactorCode?: string; readonly trustEveryProxy?: boolean };
    reply: { readonly errors?: readonly ({ readonly key: string; readonly why: string; readonly code: TextCode })[]; readonly restart?: readonly (string)[]; readonly environment?: Readonly<Record<string, { readonly variable: string; readonly value: string | number }>>; readonly twoFactorToken?: string; readonly otpauthUrl?: string; readonly qr?: string } | null;
  };
  '/panel/api/setting/defaultSettings': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly expireDiff: number; readonly trafficDiff: number; readonly pageSize: number; readonly defaultCert: string; readonly defaultKey: string; readonly chatBotEnable: boolean; readonly tgBotEnable: boolean; readonly subEnable: boolean; readonly subJsonEnable: boolean; readonly subClashEnable: boolean; readonly subTitle: string; readonly subURI: string; readonly subJsonURI: string; readonly subClashURI: string; readonly remarkModel: string; readonly datepicker: string; readonly ipLimitEnable: boolean };
  };
  '/panel/api/setting/checkCertificate': {
    params: undefined;
    query: undefined;
    body: { readonly certFile?: string; readonly keyFile?: string };
    reply: { readonly problem: string | null; readonly problemCode: TextCode; readonly certificate: { readonly names: readonly (string)[]; readonly notBefore: number; readonly notAfter: number; readonly fingerprint: string } | null };
  };
  '/panel/setting/updateUser': {
    params: undefined;
    query: undefined;
    body: { readonly oldUsername?: string; readonly oldPassword?: string; readonly newUsername?: string; readonly newPassword?: string };
    reply: null;
  };
  '/panel/setting/sessions/end': {
    params: undefined;
    query: undefined;
    body: { readonly id?: string };
    reply: null;
  };
  '/panel/setting/sessions/endOthers': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/setting/twoFactor/propose': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly twoFactorToken: string; readonly otpauthUrl: string; readonly qr: string };
  };
  '/panel/setting/twoFactor/enable': {
    params: undefined;
    query: undefined;
    body: { readonly twoFactorToken?: string; readonly twoFactorCode?: string };
    reply: { readonly recoveryCodes: readonly (string)[] };
  };
  '/panel/setting/twoFactor/disable': {
    params: undefined;
    query: undefined;
    body: { readonly twoFactorCode?: string };
    reply: null;
  };
  '/panel/setting/twoFactor/recoveryCodes': {
    params: undefined;
    query: undefined;
    body: { readonly twoFactorCode?: string };
    reply: { readonly recoveryCodes: readonly (string)[] };
  };
  '/panel/setting/passkeys/options': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: Readonly<Record<string, unknown>>;
  };
  '/panel/setting/passkeys/add': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly password?: string; readonly twoFactorCode?: string; readonly response: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly attestationObject: string; readonly transports?: readonly (string)[] } } };
    reply: null;
  };
  '/panel/setting/passkeys/remove/:id': {
    params: { readonly id: number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/setting/restartPanel': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/setting/restartPanel': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/core/': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly coreSetting: string; readonly inboundTags: string; readonly clientReverseTags: string; readonly outboundTestUrl: string } | string;
  };
  '/panel/core/update': {
    params: undefined;
    query: undefined;
    body: { readonly coreSetting?: string; readonly xraySetting?: string; readonly content?: string; readonly outboundTestUrl?: string };
    reply: { readonly warnings: readonly (string)[] } | null;
  };
  '/panel/core/check': {
    params: undefined;
    query: undefined;
    body: { readonly coreSetting?: string; readonly xraySetting?: string; readonly content?: string; readonly outboundTestUrl?: string };
    reply: { readonly tested: boolean; readonly warnings: readonly (string)[]; readonly config: Readonly<Record<string, unknown>> };
  };
  '/panel/core/resetOutboundsTraffic': {
    params: undefined;
    query: undefined;
    body: { readonly tag?: string };
    reply: null;
  };
  '/panel/core/testOutbound': {
    params: undefined;
    query: undefined;
    body: { readonly outbound?: string; readonly allOutbounds?: string; readonly outbounds?: string; readonly mode?: string };
    reply: { readonly success: boolean; readonly delay: number; readonly mode: "tcp" | "http"; readonly error?: string; readonly errorCode?: TextCode; readonly statusCode?: number; readonly connectMs?: number; readonly tlsMs?: number; readonly ttfbMs?: number; readonly endpoints?: readonly ({ readonly address: string; readonly success: boolean; readonly delay: number; readonly error?: string; readonly errorCode?: TextCode })[] };
  };
  '/panel/core/wgprov/:action': {
    params: { readonly action: "data" | "del" | "config" | "reg" | "license" };
    query: undefined;
    body: { readonly privateKey?: string; readonly publicKey?: string; readonly license?: string };
    reply: string;
  };
  '/panel/core/vpnprov/:action': {
    params: { readonly action: "countries" | "servers" | "reg" | "setKey" | "data" | "del" };
    query: undefined;
    body: { readonly countryId?: string; readonly token?: string; readonly key?: string };
    reply: string;
  };
  '/panel/api/xray/': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly coreSetting: string; readonly inboundTags: string; readonly clientReverseTags: string; readonly outboundTestUrl: string } | string;
  };
  '/panel/api/xray/update': {
    params: undefined;
    query: undefined;
    body: { readonly coreSetting?: string; readonly xraySetting?: string; readonly content?: string; readonly outboundTestUrl?: string };
    reply: { readonly warnings: readonly (string)[] } | null;
  };
  '/panel/api/xray/check': {
    params: undefined;
    query: undefined;
    body: { readonly coreSetting?: string; readonly xraySetting?: string; readonly content?: string; readonly outboundTestUrl?: string };
    reply: { readonly tested: boolean; readonly warnings: readonly (string)[]; readonly config: Readonly<Record<string, unknown>> };
  };
  '/panel/api/xray/resetOutboundsTraffic': {
    params: undefined;
    query: undefined;
    body: { readonly tag?: string };
    reply: null;
  };
  '/panel/api/xray/testOutbound': {
    params: undefined;
    query: undefined;
    body: { readonly outbound?: string; readonly allOutbounds?: string; readonly outbounds?: string; readonly mode?: string };
    reply: { readonly success: boolean; readonly delay: number; readonly mode: "tcp" | "http"; readonly error?: string; readonly errorCode?: TextCode; readonly statusCode?: number; readonly connectMs?: number; readonly tlsMs?: number; readonly ttfbMs?: number; readonly endpoints?: readonly ({ readonly address: string; readonly success: boolean; readonly delay: number; readonly error?: string; readonly errorCode?: TextCode })[] };
  };
  '/panel/api/xray/wgprov/:action': {
    params: { readonly action: "data" | "del" | "config" | "reg" | "license" };
    query: undefined;
    body: { readonly privateKey?: string; readonly publicKey?: string; readonly license?: string };
    reply: string;
  };
  '/panel/api/xray/vpnprov/:action': {
    params: { readonly action: "countries" | "servers" | "reg" | "setKey" | "data" | "del" };
    query: undefined;
    body: { readonly countryId?: string; readonly token?: string; readonly key?: string };
    reply: string;
  };
  '/panel/api/custom-geo/add': {
    params: undefined;
    query: undefined;
    body: { readonly type?: string; readonly alias?: string; readonly url?: string };
    reply: { readonly id: number; readonly type: "geoip" | "geosite"; readonly alias: string; readonly url: string; readonly status: "ok" | "failed" | "never"; readonly error: string; readonly errorCode: TextCode; readonly lastDownload: number; readonly fileName: string; readonly tags: readonly (string)[]; readonly size: number; readonly localPath: string; readonly lastUpdatedAt: number; readonly lastModified: string; readonly createdAt: number; readonly updatedAt: number } | null;
  };
  '/panel/api/custom-geo/update/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly type?: string; readonly alias?: string; readonly url?: string };
    reply: { readonly id: number; readonly type: "geoip" | "geosite"; readonly alias: string; readonly url: string; readonly status: "ok" | "failed" | "never"; readonly error: string; readonly errorCode: TextCode; readonly lastDownload: number; readonly fileName: string; readonly tags: readonly (string)[]; readonly size: number; readonly localPath: string; readonly lastUpdatedAt: number; readonly lastModified: string; readonly createdAt: number; readonly updatedAt: number } | null;
  };
  '/panel/api/custom-geo/delete/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/custom-geo/download/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/custom-geo/update-all': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: { readonly succeeded: readonly ({ readonly id: number; readonly alias: string; readonly fileName: string })[] | null; readonly failed: readonly ({ readonly id: number; readonly alias: string; readonly fileName: string; readonly error: string; readonly errorCode: TextCode })[] | null };
  };
  '/panel/api/nodes/add': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly remark?: string; readonly scheme?: string; readonly host?: string; readonly address?: string; readonly port?: number; readonly basePath?: string; readonly apiToken?: string; readonly enable?: boolean; readonly allowPrivateAddress?: boolean };
    reply: Node;
  };
  '/panel/api/nodes/update/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly name?: string; readonly remark?: string; readonly scheme?: string; readonly host?: string; readonly address?: string; readonly port?: number; readonly basePath?: string; readonly apiToken?: string; readonly enable?: boolean; readonly allowPrivateAddress?: boolean };
    reply: Node;
  };
  '/panel/api/nodes/del/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly inbounds: number; readonly remaining: number; readonly kept: number };
  };
  '/panel/api/nodes/setEnable/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly enable: boolean };
    reply: null;
  };
  '/panel/api/nodes/test': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly remark?: string; readonly scheme?: string; readonly host?: string; readonly address?: string; readonly port?: number; readonly basePath?: string; readonly apiToken?: string; readonly enable?: boolean; readonly allowPrivateAddress?: boolean };
    reply: { readonly status: "online" | "offline"; readonly cpu: number; readonly mem: number; readonly cpuPct: number; readonly memPct: number; readonly latencyMs: number; readonly coreVersion: string; readonly xrayVersion: string; readonly uptimeSecs: number; readonly error: string; readonly errorCode: TextCode };
  };
  '/panel/api/nodes/probe/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly status: "online" | "offline"; readonly cpu: number; readonly mem: number; readonly cpuPct: number; readonly memPct: number; readonly latencyMs: number; readonly coreVersion: string; readonly xrayVersion: string; readonly uptimeSecs: number; readonly error: string; readonly errorCode: TextCode };
  };
  '/panel/api/cluster/approve': {
    params: undefined;
    query: undefined;
    body: { readonly member: string; readonly fingerprint: string };
    reply: { readonly masterFingerprint: string };
  };
  '/panel/api/cluster/stepDown': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/cluster/remove': {
    params: undefined;
    query: undefined;
    body: { readonly member: string; readonly force?: boolean };
    reply: null;
  };
  '/panel/api/events/:position/undo': {
    params: { readonly position: string | number };
    query: undefined;
    body: { readonly dryRun?: boolean };
    reply: { readonly from: number; readonly to: number; readonly obstacles: readonly ({ readonly document: string; readonly name: string; readonly field: string; readonly why: string; readonly whyCode: TextCode })[] } | { readonly dryRun: true; readonly events: readonly ({ readonly type: string; readonly group: string; readonly subject: { readonly kind: string; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly changes: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean })[]; readonly data: Readonly<Record<string, unknown>> })[]; readonly total: number; readonly effects: { readonly disconnected: { readonly count: number; readonly clients: readonly ({ readonly number: number; readonly email: string })[] }; readonly reconnected: { readonly count: number; readonly clients: readonly ({ readonly number: number; readonly email: string })[] } }; readonly report?: { readonly from: number; readonly to: number; readonly obstacles: readonly ({ readonly document: string; readonly name: string; readonly field: string; readonly why: string; readonly whyCode: TextCode })[] }; readonly head: { readonly position: number; readonly hash: string } };
  };
  '/panel/api/audit/recount/preview': {
    params: undefined;
    query: undefined;
    body: { readonly rules: readonly (WrittenRecountRule)[]; readonly client?: string; readonly inbound?: number; readonly all?: boolean; readonly position?: number; readonly skip?: number; readonly limit?: number };
    reply: RecountPreview;
  };
  '/panel/api/audit/recount/apply': {
    params: undefined;
    query: undefined;
    body: { readonly rules: readonly (WrittenRecountRule)[]; readonly client?: string; readonly inbound?: number; readonly all?: boolean; readonly position?: number; readonly dryRun?: boolean };
    reply: RecountDone | { readonly dryRun: true; readonly events: readonly ({ readonly type: string; readonly group: string; readonly subject: { readonly kind: string; readonly number: number; readonly name: string; readonly exists: boolean } | null; readonly what: string; readonly whatCode: TextCode; readonly changes: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean })[]; readonly data: Readonly<Record<string, unknown>> })[]; readonly total: number; readonly effects: { readonly disconnected: { readonly count: number; readonly clients: readonly ({ readonly number: number; readonly email: string })[] }; readonly reconnected: { readonly count: number; readonly clients: readonly ({ readonly number: number; readonly email: string })[] } }; readonly report?: { readonly from: number; readonly to: number; readonly obstacles: readonly ({ readonly document: string; readonly name: string; readonly field: string; readonly why: string; readonly whyCode: TextCode })[] }; readonly head: { readonly position: number; readonly hash: string } };
  };
  '/panel/api/audit/diffUpload': {
    params: undefined;
    query: undefined;
    body: FormData;
    reply: { readonly from: { readonly position: number; readonly at: number }; readonly to: { readonly position: number; readonly at: number }; readonly counts: { readonly added: number; readonly removed: number; readonly changed: number }; readonly documents: readonly ({ readonly noun: "inbound" | "client" | "node" | "settings" | "core" | "role" | "admin" | "token" | "webhook" | "hold" | "geoSource"; readonly number: number; readonly name: string; readonly change: "added" | "removed" | "changed"; readonly fields: readonly ({ readonly field: string; readonly before?: unknown; readonly after?: unknown; readonly secret: boolean; readonly erased: boolean; readonly position: number | null })[]; readonly events: readonly ({ readonly position: number; readonly at: number; readonly type: string; readonly by: string; readonly byCode: TextCode })[] })[] };
  };
  '/panel/api/proof/publish': {
    params: undefined;
    query: undefined;
    body: undefined;
    reply: PublishedHead;
  };
  '/panel/api/proof/received': {
    params: undefined;
    query: undefined;
    body: { readonly format: string; readonly panel: string; readonly position?: number; readonly hash: string; readonly root: string; readonly at?: number; readonly key: string; readonly signature: string; readonly publicKey: string };
    reply: null;
  };
  '/panel/api/admins/add': {
    params: undefined;
    query: undefined;
    body: { readonly username?: string; readonly password?: string; readonly role?: string; readonly inbounds?: readonly (number)[]; readonly quotas?: { readonly clients?: number; readonly totalBytes?: number; readonly clientBytes?: number; readonly days?: number } };
    reply: { readonly id: number };
  };
  '/panel/api/admins/access/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly role?: string; readonly inbounds?: readonly (number)[]; readonly quotas?: { readonly clients?: number; readonly totalBytes?: number; readonly clientBytes?: number; readonly days?: number } };
    reply: null;
  };
  '/panel/api/admins/password/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly password?: string };
    reply: null;
  };
  '/panel/api/admins/del/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly owner?: number };
    reply: null;
  };
  '/panel/api/admins/handOver': {
    params: undefined;
    query: undefined;
    body: { readonly clients?: readonly (number)[]; readonly from?: number; readonly owner?: number };
    reply: { readonly clients: readonly (number)[] };
  };
  '/panel/api/admins/endSessions/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly session?: string };
    reply: null;
  };
  '/panel/api/roles/save': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly grants?: readonly ({ readonly permission: string; readonly scope?: "all" | "own" | "inbounds" })[] };
    reply: null;
  };
  '/panel/api/roles/del/:name': {
    params: { readonly name: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/tokens/add': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly role?: string; readonly inbounds?: readonly (number)[]; readonly admin?: number; readonly expiresAt?: number; readonly addresses?: readonly (string)[] };
    reply: { readonly id: number; readonly secret: string };
  };
  '/panel/api/tokens/update/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly name?: string; readonly role?: string; readonly inbounds?: readonly (number)[]; readonly admin?: number; readonly expiresAt?: number; readonly addresses?: readonly (string)[] };
    reply: null;
  };
  '/panel/api/tokens/rotate/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly overlapHours?: number };
    reply: { readonly id: number; readonly secret: string };
  };
  '/panel/api/tokens/revoke/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/personalData/export/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: { readonly client?: number; readonly mask?: boolean; readonly format?: "" | "json" | "text" };
    reply: { readonly email: string; readonly madeAt: number; readonly position: number; readonly generation: string; readonly masked: boolean; readonly accounts: readonly ({ readonly client: number; readonly inbound: number; readonly keyVersion: number; readonly identity: Readonly<Record<string, unknown>>; readonly credential: Readonly<Record<string, string>>; readonly spec: Readonly<Record<string, unknown>>; readonly addedAt: number; readonly changedAt: number; readonly deletedAt: number; readonly lastOnlineAt: number })[]; readonly online: boolean; readonly addresses: readonly ({ readonly ip: string; readonly lastSeenAt: number })[]; readonly events: readonly ({ readonly position: number; readonly at: number; readonly type: string; readonly what: string; readonly whatCode: TextCode; readonly by: string; readonly data: unknown })[]; readonly statement: { readonly zone: string; readonly from: string; readonly to: string; readonly opening: { readonly up: number; readonly down: number }; readonly used: { readonly up: number; readonly down: number }; readonly changed: { readonly up: number; readonly down: number }; readonly closing: { readonly up: number; readonly down: number }; readonly clients: readonly (unknown)[]; readonly days: readonly (unknown)[] } };
  };
  '/panel/api/personalData/erase/:email': {
    params: { readonly email: string | number };
    query: undefined;
    body: { readonly client?: number; readonly reason?: string };
    reply: { readonly position: number; readonly at: number; readonly id: string; readonly hash: string; readonly generation: string; readonly by: string; readonly byCode: TextCode; readonly clients: readonly (number)[]; readonly keys: readonly (string)[]; readonly reason: string; readonly text: string };
  };
  '/panel/api/personalData/hold': {
    params: undefined;
    query: undefined;
    body: { readonly email?: string; readonly client?: number; readonly from?: number; readonly to?: number; readonly reason?: string };
    reply: { readonly id: number };
  };
  '/panel/api/personalData/release/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly reason?: string };
    reply: null;
  };
  '/panel/api/webhooks/add': {
    params: undefined;
    query: undefined;
    body: { readonly name?: string; readonly url?: string; readonly types?: readonly (string)[]; readonly after?: number };
    reply: { readonly id: number; readonly secret: string };
  };
  '/panel/api/webhooks/update/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly name?: string; readonly url?: string; readonly types?: readonly (string)[] };
    reply: null;
  };
  '/panel/api/webhooks/rotateSecret/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly overlapHours?: number };
    reply: { readonly secret: string; readonly previousUntil: number };
  };
  '/panel/api/webhooks/pause/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/webhooks/resume/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
  '/panel/api/webhooks/replay/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly after: number };
    reply: null;
  };
  '/panel/api/webhooks/test/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: { readonly accepted: boolean; readonly status: number; readonly ms: number; readonly problem: string; readonly problemCode: TextCode };
  };
  '/panel/api/webhooks/redeliver/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly position: number };
    reply: { readonly accepted: boolean; readonly status: number; readonly ms: number; readonly problem: string; readonly problemCode: TextCode };
  };
  '/panel/api/webhooks/discard/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: { readonly position: number };
    reply: null;
  };
  '/panel/api/webhooks/del/:id': {
    params: { readonly id: string | number };
    query: undefined;
    body: undefined;
    reply: null;
  };
}
