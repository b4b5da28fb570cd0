// Calls every method of 3xui-api-client that asks a panel something, as a program of its users would.
// Takes one JSON object as its argument: module (the package), host, login ({ username, password } or { token }), ports
// (of five inbounds), clients (ids of three new clients), email (the beginning of theirs), version (of the core to
// install), geo (the address of a list), node (a remote panel), pageSize (a setting that is not so yet), later (methods
// for later panels); or, for a panel that shall be replaced by its own backup, `import: true` beside module, host, login.
// Prints one JSON line for each call: {"op", "value"} or {"op", "error"}, and continues after an error.
import { createRequire } from 'node:module';

const asked = JSON.parse(process.argv[2] ?? '{}');
const { module, host, login } = asked;
const ThreeXUI = createRequire(module)(module);
const { ProtocolBuilder } = ThreeXUI;

/** The panel is local, so no protection is needed. */
const api = new ThreeXUI(host, { ...login, loginRetryBackoff: 0, maxLoginAttemptsPerHour: 10_000 });

const LONG = 20_000;
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const brief = (_, value) => (typeof value === 'string' && value.length > LONG ? `${value.length} characters` : value);

async function said(op, ...args) {
  try {
    const value = await api[op](...args);
    tell({ op, value: JSON.parse(JSON.stringify(value ?? null, brief)) });
    return value;
  } catch (error) {
    tell({ op, error: String(error.message) });
    return undefined;
  }
}

async function importBackup() {
  await said('login');
  const { obj } = await said('getDb');
  // The package takes no other form than that of its own dependency.
  const FormData = createRequire(module)('form-data');
  const form = new FormData();
  form.append('db', Buffer.from(obj, 'binary'), 'x-ui.db');
  await said('importDB', form);
}

async function callAll({ ports, clients, email, version, geo, node, pageSize, later }) {
  /** Settings of one client. */
  const one = (id, name, more = {}) => ({ clients: [{ id, email: `${email}-${name}`, enable: true, ...more }] });
  const local = (builder, remark, at) => builder.remark(`${email} ${remark}`).listen('127.0.0.1').port(ports[at]);

  tell({ op: 'surface', value: Object.getOwnPropertyNames(ThreeXUI.prototype) });

  await said('login');
  await said('getTwoFactorEnable');
  await said('getServerStatus');
  await said('getCPUHistory');
  await said('getConfigJson');
  await said('getPanelLogs', 20);
  await said('getXrayLogs', 20);
  await said('getNewUUID');
  await said('getNewX25519Cert');
  await said('getNewmldsa65');
  await said('getNewmlkem768');
  await said('getNewVlessEnc');
  await said('getNewEchCert', 'example.com');
  await said('getWebCertFiles');

  // Inbounds as the package builds them: no `enable`, no `sniffing`, clients with members that the panel does not know.
  const vless = await said(
    'addInbound',
    local(ProtocolBuilder.vless(), 'vless', 0)
      .addClient({ email: `${email}-built` })
      .build(),
  );
  await said(
    'addInbound',
    local(ProtocolBuilder.vmess(), 'vmess', 1)
      .addClient({ email: `${email}-vmess` })
      .build(),
  );
  await said('addInbound', local(ProtocolBuilder.shadowsocks(), 'shadowsocks', 2).generatePassword(32).build());
  await said('addInbound', local(ProtocolBuilder.wireguard(), 'wireguard', 3).serverKeys().addPeer().build());
  await said('importInbounds', [
    {
      protocol: 'vless',
      port: ports[4],
      listen: '127.0.0.1',
      remark: `${email} imported`,
      settings: one(clients[2], 'i'),
    },
  ]);
  const inbounds = await said('getInbounds');
  const id = vless?.obj?.id ?? 0;
  await said('getInbound', id);
  await said('updateInbound', id, { remark: `${email} updated`, enable: true });

  await said('addClient', { id, settings: one(clients[0], 'a', { totalGB: 5_368_709_120 }) });
  await said('addClient', { id, settings: one(clients[1], 'b') });
  await said('updateClient', clients[0], { id, settings: one(clients[0], 'a', { limitIp: 3 }) });
  await said('getClientTrafficsByEmail', `${email}-a`);
  await said('getClientTrafficsById', clients[0]);
  await said('getClientIps', `${email}-a`);
  await said('clearClientIps', `${email}-a`);
  await said('updateClientTraffic', `${email}-a`, { upload: 1000, download: 2000 });
  await said('getOnlineClients');
  await said('getLastOnline');
  await said('resetClientTraffic', id, `${email}-a`);
  await said('resetAllClientTraffics', id);
  await said('resetAllTraffics');
  await said('deleteDepletedClients', -1);
  await said('deleteClient', id, clients[0]);
  await said('deleteClientByEmail', id, `${email}-b`);

  await said('createBackup');
  await said('backupToTgBot');
  await said('getDb');

  await said('getAllSettings');
  await said('updateSetting', { pageSize });
  await said('getDefaultSettings');
  await said('getDefaultJsonConfig');
  const config = await said('getXrayConfig');
  const template =
    typeof config?.obj === 'string' ? JSON.parse(config.obj).xraySetting : JSON.parse(config.obj.coreSetting);
  await said('updateXrayConfig', template);
  await said('manageWarp', 'data');
  await said(
    'testOutbound',
    { tag: 'x', protocol: 'socks', settings: { servers: [{ address: '127.0.0.1', port: 9 }] } },
    { mode: 'tcp' },
  );
  await said('getOutboundsTraffic');
  await said('resetOutboundsTraffic');
  await said('getXrayResult');

  const added = await said('addNode', { name: `${email} node`, scheme: 'http', ...node, allowPrivateAddress: true });
  const nodeId = added?.obj?.id ?? 0;
  await said('getNodes');
  await said('getNode', nodeId);
  await said('updateNode', nodeId, { name: `${email} moved`, scheme: 'http', ...node, allowPrivateAddress: true });
  await said('setNodeEnable', nodeId, false);
  await said('testNode', { name: 'x', scheme: 'http', ...node, allowPrivateAddress: true });
  await said('probeNode', nodeId);
  await said('getNodeHistory', nodeId, 'cpu', 30);
  await said('deleteNode', nodeId);

  await said('addCustomGeo', { type: 'geoip', alias: 'mine', url: geo });
  const source = (await said('getCustomGeos'))?.obj?.[0]?.id ?? 0;
  await said('getGeoAliases');
  await said('updateCustomGeo', source, { type: 'geoip', alias: 'ours', url: geo });
  await said('downloadCustomGeo', source);
  await said('updateAllCustomGeo');
  await said('deleteCustomGeo', source);

  await said('getXrayVersion');
  await said('stopXrayService');
  await said('restartXrayService');
  await said('updateGeofile');
  await said('updateGeofile', 'geoip.dat');
  await said('installXray', version);

  for (const inbound of inbounds?.obj ?? []) await said('deleteInbound', inbound.id);
  for (const name of later) await said(name, 'x', 'vless', {});
  if (login.token) {
    await said('restartPanel');
  } else {
    const { username, password } = login;
    await said('updateUser', username, password, username, `${password}-2`);
    await said('updateUser', username, `${password}-2`, username, password);
    await said('logout');
  }
}

await (asked.import ? importBackup() : callAll(asked));
// The package keeps a timer, which would keep this process.
process.stdout.write('', () => process.exit(0));
