type Members = Readonly<Record<string, unknown>>;

/**
 * Members whose texts are secrets, as the core, 3x-ui and this panel name them, in lower case: the core ignores the case of
 * names. `server`: only the server may know the secret. `shared`: the apps of clients or the other end have it too.
 */
const SECRETS: ReadonlyMap<string, 'server' | 'shared'> = new Map([
  ...(['privatekey', 'secretkey', 'mldsa65seed', 'decryption', 'echserverkeys'] as const).map(
    (name) => [name, 'server'] as const,
  ),
  ...(['password', 'pass', 'auth', 'uuid', 'psk', 'presharedkey', 'key', 'seed', 'secret', 'token'] as const).map(
    (name) => [name, 'shared'] as const,
  ),
  ...(['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'] as const).map(
    (name) => [name, 'shared'] as const,
  ),
]);

/** Members that apps of clients must not get, although not everything in them is secret: of certificates, the key is. */
const OF_SERVER: ReadonlySet<string> = new Set(['certificates', 'masterkeylog']);

/** Headers whose values authenticate nothing. Any other header may: its name can be chosen freely. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'content-type', 'content-length'],
  ...['connection', 'upgrade', 'transfer-encoding', 'pragma', 'cache-control', 'date', 'server', 'origin', 'referer'],
]);

/** Values of these members that only name a method: of VLESS without encryption, and of SOCKS. */
const NO_ENCRYPTION = 'none';
const LOGIN_METHODS: readonly unknown[] = ['noauth', 'password'];
/** Members of an account, whose `id` and `auth` are its credential, whatever text it is. */
const ACCOUNT = ['email', 'encryption', 'flow', 'alterId', 'security', 'experiments', 'level'];
const UUID = /^[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}$/i;

/**
 * Which texts, or lists of texts, in an object are secrets. Other values of these members are to be searched like any object.
 * `as`: the name of the member that has the object.
 */
export function secretTest(object: Members, as: string): (name: string, value: unknown) => boolean {
  if (as.toLowerCase() === 'headers') return (name) => !OPEN_HEADERS.has(name.toLowerCase());
  const isAccount = ACCOUNT.some((name) => Object.hasOwn(object, name));
  return (name, value) => {
    const folded = name.toLowerCase();
    if (folded === 'id') return typeof value === 'string' && (isAccount || UUID.test(value));
    if (folded === 'decryption' && value === NO_ENCRYPTION) return false;
    if (folded === 'auth' && !isAccount && LOGIN_METHODS.includes(value)) return false;
    return SECRETS.has(folded);
  };
}

/** Whether a member, at any depth, is left out of what apps of clients get, because only the server may know what is in it. */
export function isOfServerOnly(name: string): boolean {
  const folded = name.toLowerCase();
  return SECRETS.get(folded) === 'server' || OF_SERVER.has(folded);
}

const USER_INFO = /\b([a-z][a-z\d+.-]*:\/\/)[^\s/?#"'<>]*@/gi;

/** A text without the names and passwords in its URLs. `hidden`: in place of them. */
export const withoutUserInfo = (text: string, hidden: string): string =>
  text.includes('@') ? text.replace(USER_INFO, `$1${hidden}@`) : text;
