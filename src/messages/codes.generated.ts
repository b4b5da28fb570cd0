// Written by `npm run messages` from locales/en. Do not edit.

/** `area.key` of a text below `locales/`; a rejection's code stands alone, in upper case. */
export type MessageCode = keyof MessageParams;

/** A sentence to a person: its code and what stands in it. A plain object, so that events and answers can carry it. */
export interface Message<C extends MessageCode = MessageCode> {
  readonly code: C;
  readonly params: MessageParams[C];
}

/** Words of another program, shown as they are in every language: the core's output, the reply of a server, an errno. */
export interface Verbatim {
  readonly verbatim: string;
}

export type Text = Message | Verbatim;

type None = Readonly<Record<never, never>>;

/** The files of each language. */
export const areas = ['rejections', 'settings'] as const;

/** What stands in each message, by its code. */
export interface MessageParams {
  'INBOUND_NOT_FOUND': { readonly inbound: string | number };
  'NODE_NOT_FOUND': { readonly node: string | number };
  'NODE_INVALID': { readonly why: Text | string };
  'NODE_NAME_TAKEN': { readonly name: string | number };
  'NODE_TOKEN_NEEDED': None;
  'NODE_ADDRESS_PRIVATE': { readonly host: string | number };
  'NODE_IS_SELF': None;
  'NODE_SETTLED': None;
  'CLIENT_NOT_FOUND': { readonly client: string | number };
  'DAY_UNKNOWN': { readonly field: string | number };
  'DAYS_REVERSED': None;
  'DAYS_TOO_MANY': { readonly years: string | number };
  'LEDGER_NOT_READY': None;
  'LEDGER_WRONG': None;
  'CLIENT_NOT_IN_INBOUND': { readonly inbound: string | number; readonly client: string | number };
  'PORT_OUT_OF_RANGE': { readonly port: string | number };
  'PORT_TAKEN': { readonly port: string | number; readonly by: Text | string };
  'SOCKET_TAKEN': { readonly socket: string | number; readonly by: Text | string };
  'LISTEN_UNKNOWN': { readonly listen: string | number };
  'PORT_FORBIDDEN': { readonly port: string | number };
  'TAG_TAKEN': { readonly tag: string | number };
  'TAG_INVALID': { readonly tag: string; readonly why: Text | string };
  'LISTEN_INVALID': { readonly listen: string };
  'EMAIL_TAKEN': { readonly email: string | number };
  'SUB_ID_SHARED': { readonly email: string | number; readonly inbound: string | number };
  'EMAIL_INVALID': { readonly email: string; readonly why: Text | string };
  'CREDENTIAL_TAKEN': { readonly email: string | number; readonly other: string | number };
  'CREDENTIAL_INVALID': { readonly email: string | number; readonly why: Text | string };
  'CLIENTS_NOT_SUPPORTED': { readonly protocol: string | number };
  'NO_CLIENTS': None;
  'SAME_INBOUND': None;
  'CONFIG_INVALID': { readonly why: Text | string };
  'VALUE_OUT_OF_RANGE': { readonly field: string | number; readonly why: Text | string };
  'CORE_NOT_RUNNING': None;
  'CORE_REFUSED': { readonly why: Text | string };
  'CORE_FAILED': { readonly why: Text | string };
  'CORE_MISSING': None;
  'TEMPLATE_INVALID': { readonly why: Text | string };
  'OUTBOUND_TAG_UNKNOWN': { readonly tag: string | number };
  'SETTING_INVALID': { readonly flaws: readonly (Text | string)[] };
  'LOGIN_BUSY': None;
  'LOGIN_WRONG': None;
  'CREDENTIALS_WRONG': None;
  'CREDENTIALS_WEAK': { readonly why: Text | string };
  'USER_EXISTS': { readonly username: string | number };
  'USER_LOOKS_ALIKE': { readonly username: string | number; readonly other: string | number };
  'VERSION_UNKNOWN': { readonly version: string | number };
  'INSTALL_RUNNING': None;
  'INSTALL_FAILED': { readonly why: Text | string };
  'CORE_FIXED': { readonly by: Text | string };
  'CORE_ROLLED_BACK': { readonly why: Text | string };
  'RELEASES_UNREACHABLE': { readonly why: Text | string };
  'UPDATE_NOT_POSSIBLE': { readonly why: Text | string };
  'UPDATE_NOT_NEEDED': { readonly version: string | number };
  'GEO_FAILED': { readonly why: readonly (Text | string)[] };
  'GEO_FILE_UNKNOWN': { readonly file: string };
  'GEO_SOURCE_NOT_FOUND': { readonly source: string | number };
  'GEO_SOURCE_INVALID': { readonly why: Text | string };
  'GEO_ALIAS_TAKEN': { readonly file: string | number };
  'GEO_SOURCES_FULL': { readonly most: string | number };
  'GEO_BUSY': None;
  'GEO_SOURCE_USED': { readonly file: string | number; readonly places: string | number };
  'GEO_DOWNLOAD_FAILED': { readonly why: Text | string };
  'GEO_SOURCES_FAILED': None;
  'METRIC_INVALID': { readonly known: readonly (string | number)[] };
  'BUCKET_INVALID': None;
  'OBSERVATORY_TAG_UNKNOWN': { readonly tag: string | number };
  'COUNT_INVALID': None;
  'LEVEL_INVALID': None;
  'LOG_UNREADABLE': { readonly why: Text | string };
  'FIELD_MISSING': { readonly field: string | number };
  'TEST_URL_REFUSED': { readonly why: Text | string };
  'PROVIDER_FAILED': { readonly why: Text | string };
  'PROVIDER_NOT_REGISTERED': None;
  'CHAT_BOT_OFF': None;
  'CHAT_BOT_NO_CHATS': None;
  'CHAT_BOT_STALE': None;
  'BACKUP_NOT_SENT': { readonly why: Text | string };
  'IMPORT_NOT_EMPTY': None;
  'STORAGE_FULL': None;
  'STORAGE_BUSY': None;
  'STORAGE_READ_ONLY': { readonly why: Text | string };
  'STORAGE_FAILED': { readonly why: Text | string };
  'PANEL_FAILED': { readonly why: Text | string };
  'RESTART_UNDER_WAY': None;
  'RESTART_REFUSED': { readonly why: Text | string };
  'BACKUP_BUSY': None;
  'BACKUP_FAILED': { readonly why: Text | string };
  'IMPORT_REFUSED': { readonly why: Text | string };
  'STATE_REPLACED': None;
  'EVENT_TYPE_UNKNOWN': { readonly type: string | number };
  'GENERATION_UNKNOWN': None;
  'HISTORY_CHANGED': { readonly position: string | number };
  'POSITION_UNKNOWN': { readonly after: string | number; readonly head: string | number };
  'FOLLOWERS_FULL': None;
  'SESSION_EXPIRED': None;
  'IDEMPOTENCY_KEY_REUSED': None;
  'INPUT_INVALID': { readonly why: Text | string };
  'CSRF_TOKEN_INVALID': None;
  'URL_INVALID': None;
  'INTERNAL_ERROR': { readonly id: string | number };
  'CURSOR_INVALID': None;
  'IDEMPOTENCY_KEY_INVALID': None;
  'BODY_COMPRESSED': None;
  'BODY_TOO_LARGE': { readonly limit: string | number };
  'BODY_NOT_UTF8': None;
  'BODY_NOT_UNICODE': None;
  'BODY_JSON_INVALID': { readonly why: Text | string };
  'FORM_TOO_MANY_FIELDS': { readonly limit: string | number };
  'FORM_INVALID': None;
  'FORM_NOT_MULTIPART': None;
  'FORM_FILE_MISSING': None;
  'FORM_FILE_UNEXPECTED': None;
  'FORM_TOO_LARGE': None;
  'SERVER_BUSY': None;
  'UPLOAD_BUSY': None;
  'FILE_EMPTY': None;
  'settings.invalid': { readonly key: string | number; readonly why: Text | string };
}
