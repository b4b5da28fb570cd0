/** A setting that cannot be as it was asked for. */
export interface Flaw {
  readonly key: string;
  readonly why: string;
}

/** Every reason to say no: a stable code, what the details are, and the sentence for people. */
const reasons = {
  INBOUND_NOT_FOUND: (d: { inbound: number }) => `There is no inbound ${d.inbound}`,
  NODE_NOT_FOUND: (d: { node: number }) => `There is no node ${d.node}`,
  NODE_INVALID: (d: { why: string }) => `The node cannot be saved: ${d.why}`,
  NODE_NAME_TAKEN: (d: { name: string }) => `There is already a node ${d.name}`,
  NODE_TOKEN_NEEDED: () => 'The node is at another address now: give its API token again',
  NODE_ADDRESS_PRIVATE: (d: { host: string }) =>
    `blocked private/internal address ${d.host}: switch on allowPrivateAddress if it is meant`,
  NODE_IS_SELF: () => 'The address leads to this panel itself',
  NODE_SETTLED: () => 'The node of an inbound is settled when it is added',
  CLIENT_NOT_FOUND: (d: { client: string }) => `There is no client ${d.client}`,
  DAY_UNKNOWN: (d: { field: string }) => `${d.field} is no day: write it as 2026-03-31, or as ms since 1970`,
  DAYS_REVERSED: () => 'The first day lies after the last one',
  DAYS_TOO_MANY: (d: { years: number }) => `A statement covers ${d.years} years at most`,
  LEDGER_NOT_READY: () => 'The statements are still being made from the log: ask again in a minute',
  LEDGER_WRONG: () =>
    'The statement does not add up to the counter, also when it is made anew from the log: run portolan events verify',
  CLIENT_NOT_IN_INBOUND: (d: { client: string; inbound: number }) => `Inbound ${d.inbound} has no client ${d.client}`,
  PORT_OUT_OF_RANGE: (d: { port: number }) => `Port ${d.port} is not between 1 and 65535`,
  PORT_TAKEN: (d: { port: number; by: string }) => `Port already exists: ${d.port} is used by ${d.by}`,
  SOCKET_TAKEN: (d: { socket: string; by: string }) => `Socket ${d.socket} is already used by ${d.by}`,
  LISTEN_UNKNOWN: (d: { listen: string }) => `${d.listen} is not an address of this machine`,
  PORT_FORBIDDEN: (d: { port: number }) => `The system does not let this account use port ${d.port}`,
  TAG_TAKEN: (d: { tag: string }) => `Tag ${d.tag} is already used`,
  TAG_INVALID: (d: { tag: string; why: string }) => `Tag ${JSON.stringify(d.tag)} cannot be used: ${d.why}`,
  LISTEN_INVALID: (d: { listen: string }) => `Listen address ${JSON.stringify(d.listen)} is not an IP address`,
  EMAIL_TAKEN: (d: { email: string }) => `Duplicate email: ${d.email}`,
  SUB_ID_SHARED: (d: { email: string; inbound: number }) =>
    `${d.email} is in inbound ${d.inbound} too: its subId must stay the same in both`,
  EMAIL_INVALID: (d: { email: string; why: string }) => `Email ${JSON.stringify(d.email)} cannot be used: ${d.why}`,
  CREDENTIAL_TAKEN: (d: { email: string; other: string }) =>
    `The id or password of ${d.email} is already used by ${d.other} in this inbound`,
  CREDENTIAL_INVALID: (d: { email: string; why: string }) => `Client ${d.email}: ${d.why}`,
  CLIENTS_NOT_SUPPORTED: (d: { protocol: string }) => `Protocol ${d.protocol} has no clients`,
  NO_CLIENTS: () => 'The request names no client',
  SAME_INBOUND: () => 'Source and target inbounds must be different',
  CONFIG_INVALID: (d: { why: string }) => `The inbound cannot be used: ${d.why}`,
  VALUE_OUT_OF_RANGE: (d: { field: string; why: string }) => `${d.field}: ${d.why}`,
  CORE_NOT_RUNNING: () => 'The core is not running',
  CORE_REFUSED: (d: { why: string }) => `The core does not take this configuration: ${d.why}`,
  CORE_FAILED: (d: { why: string }) => `The core could not do it: ${d.why}`,
  CORE_MISSING: () => 'There is no core binary; see the README on how to get one',
  TEMPLATE_INVALID: (d: { why: string }) => `The core template is not valid: ${d.why}`,
  OUTBOUND_TAG_UNKNOWN: (d: { tag: string }) => `There is no outbound ${d.tag}`,
  SETTING_INVALID: (d: { flaws: readonly Flaw[] }) =>
    d.flaws.map(({ key, why }) => `Setting ${key}: ${why}`).join('; '),
  LOGIN_BUSY: () => 'Too many logins are being checked. Try again in a few seconds.',
  LOGIN_WRONG: () => 'Invalid username or password or two-factor code.',
  CREDENTIALS_WRONG: () => 'The current user name or password is wrong',
  CREDENTIALS_WEAK: (d: { why: string }) => d.why,
  USER_EXISTS: (d: { username: string }) => `There is already a user ${d.username}`,
  USER_LOOKS_ALIKE: (d: { username: string; other: string }) =>
    `The name ${d.username} looks like that of another user, ${d.other}: choose one that is easy to tell apart`,
  VERSION_UNKNOWN: (d: { version: string }) => `There is no release ${d.version} to install`,
  INSTALL_RUNNING: () => 'Another installation is in progress',
  INSTALL_FAILED: (d: { why: string }) => `Nothing was changed: ${d.why}`,
  CORE_FIXED: (d: { by: string }) => `The core is fixed by ${d.by}: unset it to choose a version here`,
  CORE_ROLLED_BACK: (d: { why: string }) => `The new version did not last, the former one counts again: ${d.why}`,
  RELEASES_UNREACHABLE: (d: { why: string }) => `The list of releases cannot be had: ${d.why}`,
  UPDATE_NOT_POSSIBLE: (d: { why: string }) => `This panel cannot replace itself: ${d.why}`,
  UPDATE_NOT_NEEDED: (d: { version: string }) => `Version ${d.version} of the panel is the newest one`,
  GEO_FAILED: (d: { why: readonly string[] }) => d.why.join('\r\n'),
  GEO_FILE_UNKNOWN: (d: { file: string }) =>
    `Invalid geofile name: ${JSON.stringify(d.file)} is not one of the built-in files`,
  GEO_SOURCE_NOT_FOUND: (d: { source: number }) => `There is no custom geo source ${d.source}`,
  GEO_SOURCE_INVALID: (d: { why: string }) => d.why,
  GEO_ALIAS_TAKEN: (d: { file: string }) => `This alias is already used for this type: it would be the file ${d.file}`,
  GEO_SOURCES_FULL: (d: { most: number }) => `There may be ${d.most} custom geo sources`,
  GEO_BUSY: () => 'Other downloads of geo files are under way: try again in a few minutes',
  GEO_SOURCE_USED: (d: { file: string; places: string }) => `The core uses ${d.file}: ${d.places}`,
  GEO_DOWNLOAD_FAILED: (d: { why: string }) => `Download failed: ${d.why}`,
  GEO_SOURCES_FAILED: (_detail: { results: object }) => 'One or more custom geo sources failed to update',
  METRIC_INVALID: (d: { known: readonly string[] }) => `invalid metric: there are ${d.known.join(', ')}`,
  BUCKET_INVALID: () => 'invalid bucket: choose 2, 30, 60, 120, 180 or 300 seconds',
  OBSERVATORY_TAG_UNKNOWN: (d: { tag: string }) => `invalid tag: the observatory knows no outbound ${d.tag}`,
  COUNT_INVALID: () => 'Invalid count: it must be a number from 1 to 10000',
  LEVEL_INVALID: () => 'Invalid level: choose debug, info, notice, warning or error',
  LOG_UNREADABLE: (d: { why: string }) => d.why,
  FIELD_MISSING: (d: { field: string }) => `${d.field} is required`,
  TEST_URL_REFUSED: (d: { why: string }) => `The test address of outbounds cannot be asked: ${d.why}`,
  PROVIDER_FAILED: (d: { why: string }) => `The provider did not do it: ${d.why}`,
  PROVIDER_NOT_REGISTERED: () => 'There is no registration at the provider yet',
  CHAT_BOT_OFF: () => 'The chat bot is off: switch it on in the settings first',
  CHAT_BOT_NO_CHATS: () => 'No chat of an admin is set: put its number into the settings of the chat bot',
  CHAT_BOT_STALE: () => 'This button is too old: ask again',
  BACKUP_NOT_SENT: (d: { why: string }) => `The backup was not sent: ${d.why}`,
  IMPORT_NOT_EMPTY: () => 'Another panel can only be taken into an empty log: its state replaces all that is here',
  STORAGE_FULL: () => 'The disk is full: nothing was changed',
  STORAGE_BUSY: () => 'Another program holds the database: nothing was changed, try again',
  STORAGE_READ_ONLY: (d: { why: string }) => `Nothing can be written: ${d.why}`,
  STORAGE_FAILED: (d: { why: string }) => `The database failed, nothing was changed: ${d.why}`,
  PANEL_FAILED: (d: { why: string }) => `The panel has stopped accepting changes: ${d.why}`,
  RESTART_UNDER_WAY: () => 'The panel is restarting already',
  RESTART_REFUSED: (d: { why: string }) => `The panel does not restart and goes on as it is: ${d.why}`,
  BACKUP_BUSY: () => 'Another backup, import or restart is in progress: try again when it is done',
  BACKUP_FAILED: (d: { why: string }) => `The backup could not be made: ${d.why}`,
  IMPORT_REFUSED: (d: { why: string }) => `An error occurred while importing the database: ${d.why}`,
  STATE_REPLACED: () => 'The panel starts anew with another state: nothing can be changed until then',
  EVENT_TYPE_UNKNOWN: (d: { type: string }) => `There is no event type ${d.type}`,
  GENERATION_UNKNOWN: () => 'Another state took the place of the log that was followed: begin anew after 0',
  HISTORY_CHANGED: (d: { position: number }) =>
    `The event at position ${d.position} is not the one that was followed: the log has another history now. Begin anew after 0`,
  POSITION_UNKNOWN: (d: { after: number; head: number }) =>
    `This log does not know the position ${d.after}: it ends at ${d.head}. Where another state took its place, begin anew after 0`,
  FOLLOWERS_FULL: () => 'Too many callers wait for events already',
  NOT_LOGGED_IN_ANY_MORE: () => 'Your session has expired, please log in again',
  IDEMPOTENCY_KEY_REUSED: () => 'This Idempotency-Key was used for another request',
} satisfies Record<string, (details: never) => string>;

type Reasons = typeof reasons;
export type RejectionCode = keyof Reasons;
export type RejectionDetails<C extends RejectionCode> = Parameters<Reasons[C]> extends [infer D] ? D : undefined;

/** A rule's no: a value, not an exception. Nothing was appended. */
export class Rejection {
  readonly code: RejectionCode;
  readonly details: object;
  readonly message: string;

  constructor(code: RejectionCode, details: object) {
    this.code = code;
    this.details = details;
    this.message = (reasons[code] as (details: object) => string)(details);
  }
}

export function reject<C extends RejectionCode>(
  code: C,
  ...details: Parameters<Reasons[C]> extends [] ? [] : Parameters<Reasons[C]>
): Rejection {
  return new Rejection(code, details[0] ?? {});
}

/** The refusals of the disk. */
export const STORAGE_CODES: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['STORAGE_FULL', 'STORAGE_BUSY', 'STORAGE_READ_ONLY', 'STORAGE_FAILED'] as const),
]);

/** Whether the disk said no, and not a rule. No event can tell of it. */
export function refusedByStorage({ code }: Rejection): boolean {
  return STORAGE_CODES.has(code);
}

/** All codes, for docs/errors.md. */
export const rejectionCodes = Object.keys(reasons) as readonly RejectionCode[];
