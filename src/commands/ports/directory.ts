import type { Secrets, Settings } from '../../events/settings/settings.js';
import { MessageError } from '../../messages/error.js';

/** The address of a directory, the account to bind with, and where to search for users. */
export interface DirectoryConfig {
  readonly host: string;
  readonly port: number;
  /** Implicit TLS (ldaps); the certificate is verified. */
  readonly tls: boolean;
  /** Empty = the search is anonymous. */
  readonly bindDn: string;
  readonly bindPassword: string;
  readonly baseDn: string;
  /** RFC 4515. */
  readonly filter: string;
  /** The attribute that contains the user name or email. */
  readonly attribute: string;
}

export interface DirectoryEntry {
  /** The values of the naming attribute, in the order of the directory; at least one. */
  readonly names: readonly string[];
  /** The first value of the requested attribute; null when the entry has none. */
  readonly flag: string | null;
}

/** An LDAP directory. */
export interface Directory {
  /**
   * Whether `password` belongs to the one entry that the filter finds under `name`. False also when the directory does not
   * answer. Never rejects; resolves within 5 s.
   */
  verifyPassword(place: DirectoryConfig, name: string, password: string): Promise<boolean>;
  /**
   * All entries that match the filter, each with the value of the attribute `flag`. Rejects with `DirectoryError` when the
   * result is incomplete, within a minute.
   */
  entries(place: DirectoryConfig, flag: string): Promise<readonly DirectoryEntry[]>;
}

/** The only error of the `Directory` port. Its text contains neither secrets nor names. */
export class DirectoryError extends MessageError {
  override readonly name = 'DirectoryError';
}

/** The directory that the settings name. */
export function directoryConfig(settings: Settings, { ldapPassword }: Secrets): DirectoryConfig {
  return {
    host: settings.ldapHost.replace(/^\[(.*)\]$/, '$1'),
    port: settings.ldapPort,
    tls: settings.ldapUseTLS,
    bindDn: settings.ldapBindDN,
    bindPassword: ldapPassword,
    baseDn: settings.ldapBaseDN,
    filter: settings.ldapUserFilter,
    attribute: settings.ldapUserAttr,
  };
}
