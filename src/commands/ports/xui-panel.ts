import type { ImportFinding } from '../../events/import.js';

/** An account of the web panel. The password is a bcrypt hash, or plain text in very old panels. */
export interface XuiUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
}

/** An inbound as stored in its row; JSON text is not parsed yet. Bytes, and milliseconds since 1970. */
export interface XuiInbound {
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
export interface XuiStats {
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

export interface XuiOutbound {
  readonly id: number;
  readonly tag: string;
  readonly up: number;
  readonly down: number;
}

export interface XuiIps {
  readonly id: number;
  readonly clientEmail: string;
  /** JSON text. */
  readonly ips: string;
}

export interface XuiSetting {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export interface XuiNode {
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

export interface XuiGeo {
  readonly id: number;
  readonly geoType: string;
  readonly alias: string;
  readonly url: string;
}

/** Everything in a database of 3x-ui that this panel can import, ordered by id. */
export interface XuiPanel {
  /** As far as the tables show it. */
  readonly version: '2.x' | '3.0';
  readonly users: readonly XuiUser[];
  readonly inbounds: readonly XuiInbound[];
  readonly stats: readonly XuiStats[];
  readonly outbounds: readonly XuiOutbound[];
  readonly ips: readonly XuiIps[];
  readonly settings: readonly XuiSetting[];
  readonly nodes: readonly XuiNode[];
  readonly geo: readonly XuiGeo[];
  /** Values that could not be read as they are. */
  readonly findings: readonly ImportFinding[];
}
