import type { ImportFinding } from '../../events/import.js';

/** An account of the web panel. The password is a hash of bcrypt, or itself in panels of long ago. */
export interface ForeignUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
}

/** An inbound as its row has it; the texts of JSON are not looked at yet. Bytes, and milliseconds since 1970. */
export interface ForeignInbound {
  readonly id: number;
  readonly userId: number;
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  readonly total: number;
  readonly remark: string;
  readonly enable: boolean;
  readonly expiryTime: number;
  readonly trafficReset: string;
  readonly lastTrafficResetTime: number;
  readonly listen: string;
  readonly port: number;
  readonly protocol: string;
  readonly settings: string;
  readonly streamSettings: string;
  readonly tag: string;
  readonly sniffing: string;
  /** 0 = none. */
  readonly nodeId: number;
}

/** The counters and limits of a client, by its email. A limit is null where the table has no column for it. */
export interface ForeignStats {
  readonly id: number;
  readonly inboundId: number;
  readonly enable: boolean | null;
  readonly email: string;
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  /** Negative = a duration that begins with the first use. */
  readonly expiryTime: number | null;
  readonly total: number | null;
  readonly reset: number | null;
  readonly lastOnline: number;
}

export interface ForeignOutbound {
  readonly id: number;
  readonly tag: string;
  readonly up: number;
  readonly down: number;
}

export interface ForeignIps {
  readonly id: number;
  readonly clientEmail: string;
  /** A text of JSON. */
  readonly ips: string;
}

export interface ForeignSetting {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export interface ForeignNode {
  readonly id: number;
  readonly name: string;
  readonly remark: string;
  readonly scheme: string;
  readonly address: string;
  readonly port: number;
  readonly basePath: string;
  readonly apiToken: string;
  readonly enable: boolean;
  readonly allowPrivateAddress: boolean;
}

export interface ForeignGeo {
  readonly id: number;
  readonly geoType: string;
  readonly alias: string;
  readonly url: string;
}

/** Everything that a database of 3x-ui holds and this panel has a place for, in the order of the ids. */
export interface ForeignPanel {
  /** As far as the tables show it. */
  readonly version: '2.x' | '3.0';
  readonly users: readonly ForeignUser[];
  readonly inbounds: readonly ForeignInbound[];
  readonly stats: readonly ForeignStats[];
  readonly outbounds: readonly ForeignOutbound[];
  readonly ips: readonly ForeignIps[];
  readonly settings: readonly ForeignSetting[];
  readonly nodes: readonly ForeignNode[];
  readonly geo: readonly ForeignGeo[];
  /** Values that could not be read as they are. */
  readonly findings: readonly ImportFinding[];
}
