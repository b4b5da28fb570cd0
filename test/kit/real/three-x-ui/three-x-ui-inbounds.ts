import type { NodeCall, NodeRoute, ThreeXuiNode } from './three-x-ui-node.js';

type Fields = Record<string, unknown>;

/** A row of counters: one for each email, whatever inbounds it is in. */
export interface Row {
  inboundId: number;
  enable: boolean;
  email: string;
  up: number;
  down: number;
  allTime: number;
  total: number;
  expiryTime: number;
  lastOnline: number;
}

export interface XuiInbound {
  id: number;
  up: number;
  down: number;
  allTime: number;
  total: number;
  remark: string;
  enable: boolean;
  expiryTime: number;
  trafficReset: string;
  listen: string;
  port: number;
  protocol: string;
  settings: string;
  streamSettings: string;
  tag: string;
  sniffing: string;
}

const clientsOf = ({ settings }: XuiInbound): Fields[] =>
  (JSON.parse(settings) as { clients?: Fields[] }).clients ?? [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const keyOf = (protocol: string, client: Fields): unknown =>
  client[{ trojan: 'password', shadowsocks: 'email', hysteria: 'auth', hysteria2: 'auth' }[protocol] ?? 'id'];

/** The members that the typed model of a client has; an inbound that is added loses all others. */
const TYPED = ['id', 'security', 'password', 'flow', 'reverse', 'auth', 'email', 'limitIp', 'totalGB', 'expiryTime'];
TYPED.push('enable', 'tgId', 'subId', 'comment', 'reset', 'created_at', 'updated_at');

/** Bytes down of each connection that Xray counts for the client and not for the inbound, about. */
const UNCOUNTED = 8192;

/** The inbounds of a 3x-ui 3.0 panel, as far as its centre uses them: what they say and what they forget. */
export class XuiInbounds {
  readonly inbounds: XuiInbound[] = [];
  readonly rows = new Map<string, Row>();
  online: string[] = [];
  readonly ips = new Map<string, string[]>();
  /** How often its core was restarted. */
  restarts = 0;
  /** What its core has counted since its poll before. */
  #flowed: { readonly tag: string; readonly email: string; readonly up: number; readonly down: number }[] = [];
  #last = 0;

  constructor({ routes }: ThreeXuiNode) {
    const post = (pattern: RegExp, route: NodeRoute): void =>
      void routes.push(['POST', new RegExp(`^panel/api/inbounds/${pattern.source}$`), route]);
    routes.push(['GET', /^panel\/api\/inbounds\/list$/, () => ({ obj: this.list() })]);
    post(/add/, (call) => this.#add(fieldsOf(call)));
    post(/update\/(\d+)/, (call, [, id]) => this.#update(Number(id), fieldsOf(call)));
    post(/del\/(\d+)/, (_, [, id]) => this.#del(Number(id)));
    post(/setEnable\/(\d+)/, (call, [, id]) =>
      this.#on(Number(id), (inbound) => {
        inbound.enable = String(fieldsOf(call)['enable']) === 'true';
      }),
    );
    post(/addClient/, (call) => this.#addClient(fieldsOf(call)));
    post(/updateClient\/([^/]+)/, (call, [, key = '']) => this.#updateClient(decodeURIComponent(key), fieldsOf(call)));
    post(/(\d+)\/delClientByEmail\/([^/]+)/, (_, [, id, email = '']) =>
      this.#delClient(Number(id), decodeURIComponent(email)),
    );
    post(/\d+\/resetClientTraffic\/([^/]+)/, (_, [, email = '']) => {
      const row = this.rows.get(decodeURIComponent(email));
      if (!row) return 'Something went wrong (Inbound Not Found For Email)';
      Object.assign(row, { up: 0, down: 0, enable: true });
      return { msg: 'Traffic has been reset.' };
    });
    post(/(\d+)\/resetTraffic/, (_, [, id]) => this.#on(Number(id), (inbound) => void (inbound.up = inbound.down = 0)));
    routes.push([
      'POST',
      /^panel\/api\/server\/restartXrayService$/,
      () => {
        this.restarts += 1;
        this.#flowed = [];
        return { msg: 'Xray has been successfully relaunched.' };
      },
    ]);
    post(/onlines/, () => ({ obj: this.online }));
    post(/clientIps\/([^/]+)/, (_, [, email = '']) => ({
      obj: this.ips.get(decodeURIComponent(email)) ?? 'No IP Record',
    }));
  }

  list(): unknown {
    return this.inbounds.map((inbound) => ({
      ...inbound,
      lastTrafficResetTime: 0,
      clientStats: clientsOf(inbound).flatMap((client, i) => {
        const row = this.rows.get(text(client['email']));
        return row ? [{ id: i + 1, ...row, uuid: text(client['id']), subId: text(client['subId']), reset: 0 }] : [];
      }),
    }));
  }

  byTag(tag: string): XuiInbound {
    const found = this.inbounds.find((inbound) => inbound.tag === tag);
    if (!found) throw new Error(`no inbound ${tag}`);
    return found;
  }

  clients(tag: string): Fields[] {
    return clientsOf(this.byTag(tag));
  }

  row(email: string): Row {
    const row = this.rows.get(email);
    if (!row) throw new Error(`no row ${email}`);
    return row;
  }

  /** Bytes of a connection that its core lets through, whatever became of the account since it was opened. */
  flow(tag: string, email: string, down: number, up = 0): void {
    this.#flowed.push({ tag, email, up, down });
  }

  /** Takes what its core has counted into the rows, every 5 s. What belongs to none of them any more is lost. */
  poll(now = Date.now()): void {
    const flowed = this.#flowed;
    this.#flowed = [];
    for (const { tag, email, up, down } of flowed) {
      const inbound = this.inbounds.find((one) => one.tag === tag);
      if (this.rows.has(email)) this.count(tag, email, up, down, now);
      else if (inbound) grow(inbound, up, down);
    }
  }

  /** What its own poll does with the bytes of one connection that its core counted. */
  count(tag: string, email: string, up: number, down: number, now = Date.now()): void {
    const inbound = this.inbounds.find((one) => one.tag === tag);
    if (inbound) grow(inbound, up, Math.max(0, down - UNCOUNTED));
    grow(this.row(email), up, down);
    const row = this.row(email);
    row.lastOnline = now;
    if (row.enable && row.total > 0 && row.up + row.down >= row.total) {
      row.enable = false;
      for (const inbound of this.inbounds)
        this.#edit(inbound, (client) => client['email'] === email && (client['enable'] = false));
    }
  }

  #edit(inbound: XuiInbound, change: (client: Fields) => unknown): void {
    const settings = JSON.parse(inbound.settings) as Fields;
    const clients = (settings['clients'] ?? []) as Fields[];
    for (const client of clients) change(client);
    inbound.settings = JSON.stringify({ ...settings, clients }, null, 2);
  }

  #on(id: number, change: (inbound: XuiInbound) => void): { msg: string } | string {
    const inbound = this.inbounds.find((one) => one.id === id);
    if (!inbound) return 'Something went wrong (record not found)';
    change(inbound);
    return { msg: 'Inbound has been successfully updated.' };
  }

  #add(sent: Fields): { obj: unknown } | string {
    const port = Number(sent['port']);
    if (this.inbounds.some((inbound) => inbound.port === port))
      return `Something went wrong (Port already exists: ${port}\n)`;
    const settings = JSON.parse(text(sent['settings'])) as Fields;
    const clients = ((settings['clients'] ?? []) as Fields[]).map((client) =>
      Object.fromEntries(Object.entries(client).filter(([name]) => TYPED.includes(name))),
    );
    this.#last += 1;
    const inbound = { ...written(sent), id: this.#last, up: 0, down: 0, allTime: 0 };
    inbound.tag = this.inbounds.some(({ tag }) => tag === sent['tag']) ? `inbound-${port}-tcp` : text(sent['tag']);
    inbound.settings = JSON.stringify({ ...settings, clients }, null, 2);
    this.inbounds.push(inbound);
    for (const client of clients) this.#count(inbound, client);
    return { obj: { ...inbound, clientStats: null } };
  }

  #update(id: number, sent: Fields): ReturnType<NodeRoute> {
    return this.#on(id, (inbound) => {
      const before = new Set(clientsOf(inbound).map((client) => text(client['email'])));
      Object.assign(inbound, written(sent), { tag: text(sent['tag']) });
      for (const client of clientsOf(inbound)) {
        this.#count(inbound, client);
        before.delete(text(client['email']));
      }
      for (const email of before) this.#forget(email);
    });
  }

  #del(id: number): ReturnType<NodeRoute> {
    const at = this.inbounds.findIndex((inbound) => inbound.id === id);
    if (at < 0) return 'Something went wrong (record not found)';
    const [gone] = this.inbounds.splice(at, 1);
    // Also those that another inbound shares.
    for (const [email, { inboundId }] of this.rows) if (inboundId === id) this.rows.delete(email);
    return { obj: gone?.id ?? id };
  }

  #addClient(sent: Fields): ReturnType<NodeRoute> {
    const fresh = (JSON.parse(text(sent['settings'])) as { clients: Fields[] }).clients;
    const taken = fresh.find((client) => this.rows.has(text(client['email'])));
    if (taken) return `Something went wrong (Duplicate email: ${text(taken['email'])}\n)`;
    return this.#on(Number(sent['id']), (inbound) => {
      const settings = JSON.parse(inbound.settings) as Fields;
      inbound.settings = JSON.stringify({ ...settings, clients: [...clientsOf(inbound), ...fresh] }, null, 2);
      for (const client of fresh) this.#count(inbound, client);
    });
  }

  #updateClient(key: string, sent: Fields): ReturnType<NodeRoute> {
    const [client = {}] = (JSON.parse(text(sent['settings'])) as { clients: Fields[] }).clients;
    const inbound = this.inbounds.find(({ id }) => id === Number(sent['id']));
    const old = inbound && clientsOf(inbound).find((one) => keyOf(inbound.protocol, one) === key);
    if (!inbound || !old) return 'Something went wrong (empty client ID\n)';
    const row = this.rows.get(text(old['email']));
    const settings = JSON.parse(inbound.settings) as Fields;
    const clients = clientsOf(inbound).map((one) => (keyOf(inbound.protocol, one) === key ? client : one));
    inbound.settings = JSON.stringify({ ...settings, clients }, null, 2);
    if (row && row.email !== client['email']) {
      this.rows.delete(row.email);
      this.rows.set(text(client['email']), { ...row, email: text(client['email']) });
    }
    this.#count(inbound, client);
    return { msg: 'Inbound client has been updated.' };
  }

  #delClient(id: number, email: string): ReturnType<NodeRoute> {
    const inbound = this.inbounds.find((one) => one.id === id);
    const clients = inbound ? clientsOf(inbound) : [];
    if (!clients.some((client) => client['email'] === email)) return `Failed (client with email ${email} not found\n)`;
    if (clients.length === 1) return 'Failed to delete client by email (no client remained in Inbound\n)';
    return this.#on(id, (one) => {
      const settings = JSON.parse(one.settings) as Fields;
      one.settings = JSON.stringify({ ...settings, clients: clients.filter((client) => client['email'] !== email) });
      this.#forget(email);
    });
  }

  #count({ id: inboundId }: XuiInbound, client: Fields): void {
    const email = text(client['email']);
    const before = this.rows.get(email) ?? { inboundId, email, up: 0, down: 0, allTime: 0, lastOnline: 0 };
    const { totalGB, expiryTime, enable } = client;
    const spec = { total: Number(totalGB), expiryTime: Number(expiryTime), enable: enable === true };
    this.rows.set(email, { ...before, ...spec });
  }

  #forget(email: string): void {
    const used = this.inbounds.some((inbound) => clientsOf(inbound).some((client) => client['email'] === email));
    if (!used) this.rows.delete(email);
  }
}

function grow(counter: { up: number; down: number; allTime: number }, up: number, down: number): void {
  counter.up += up;
  counter.down += down;
  counter.allTime += up + down;
}

/** Missing members are zero, as in Go. */
function written(sent: Fields): Omit<XuiInbound, 'id' | 'up' | 'down' | 'allTime'> {
  return {
    total: Number(sent['total'] ?? 0),
    remark: text(sent['remark']),
    enable: String(sent['enable']) === 'true',
    expiryTime: Number(sent['expiryTime'] ?? 0),
    trafficReset: text(sent['trafficReset']) || 'never',
    listen: text(sent['listen']),
    port: Number(sent['port']),
    protocol: text(sent['protocol']),
    settings: text(sent['settings']),
    streamSettings: text(sent['streamSettings']),
    tag: text(sent['tag']),
    sniffing: text(sent['sniffing']),
  };
}

/** JSON or a form, as it was sent; JSON of another type than the field has is refused there, and throws here. */
function fieldsOf({ headers, body }: NodeCall): Fields {
  if (!headers['content-type']?.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body));
  const fields = JSON.parse(body) as Fields;
  for (const name of ['port', 'total', 'expiryTime'])
    if (fields[name] !== undefined && typeof fields[name] !== 'number') throw new Error(`${name} is no number`);
  return fields;
}
