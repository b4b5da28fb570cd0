import type { Secrets, Settings } from '../../events/settings/settings.js';

/** Where a directory is, how it is entered, and where in it the people are. */
export interface DirectoryPlace {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, with a certificate that is checked. */
  readonly tls: boolean;
  /** Empty = the search is anonymous. */
  readonly bindDn: string;
  readonly bindPassword: string;
  readonly baseDn: string;
  /** RFC 4515. */
  readonly filter: string;
  /** The attribute that names a person in the panel. */
  readonly attribute: string;
}

export interface DirectoryEntry {
  /** The values of the naming attribute, in the order of the directory; at least one. */
  readonly names: readonly string[];
  /** The first value of the attribute that was asked for; null when the entry has none. */
  readonly flag: string | null;
}

/** A directory that speaks LDAP. */
export interface Directory {
  /**
   * Whether `password` is that of the one entry that the filter finds under `name`. False for everybody else, and when
   * the directory cannot be asked; never rejects, and answers within 5 s.
   */
  proves(place: DirectoryPlace, name: string, password: string): Promise<boolean>;
  /**
   * Everybody whom the filter finds, each with the value of `flag`. All or nothing: rejects with `DirectoryError` when
   * the directory did not tell the whole of it, and within a minute.
   */
  entries(place: DirectoryPlace, flag: string): Promise<readonly DirectoryEntry[]>;
}

/** The one error that leaves `src/adapters/directory`. `message` is for people and holds no secret and no name. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
}

/** The place that the settings name. */
export function placeOf(settings: Settings, { ldapPassword }: Secrets): DirectoryPlace {
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
