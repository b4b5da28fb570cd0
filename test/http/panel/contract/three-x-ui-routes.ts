const inbounds = '/panel/api/inbounds';
const server = '/panel/api/server';
const nodes = '/panel/api/nodes';
const geo = '/panel/api/custom-geo';

const under = (prefix: string, names: string): readonly string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => {
      const [method, path = ''] = name.split(':', 2);
      return `${method} ${prefix}${path}`;
    });

/** Every route of a 3x-ui 3.0 panel except its WebSocket, with values for parameters. */
export const threeXui: readonly string[] = [
  ...under('', 'GET:/ GET:/csrf-token POST:/login POST:/getTwoFactorEnable'),
  ...under('/panel', 'GET:/ GET:/inbounds GET:/nodes GET:/settings GET:/xray GET:/api-docs GET:/csrf-token'),
  ...under(
    inbounds,
    `GET:/list GET:/get/1 GET:/getClientTraffics/one GET:/getClientTrafficsById/1 POST:/add POST:/del/1 POST:/update/1
     POST:/setEnable/1 POST:/clientIps/one POST:/clearClientIps/one POST:/addClient POST:/1/copyClients
     POST:/1/delClient/1 POST:/updateClient/1 POST:/1/resetTraffic POST:/1/resetClientTraffic/one
     POST:/resetAllTraffics POST:/resetAllClientTraffics/1 POST:/delDepletedClients/1 POST:/import POST:/onlines
     POST:/lastOnline GET:/getSubLinks/one GET:/getClientLinks/1/one POST:/updateClientTraffic/one
     POST:/1/delClientByEmail/one`,
  ),
  ...under(
    server,
    `GET:/status GET:/cpuHistory/60 GET:/history/cpu/60 GET:/xrayMetricsState GET:/xrayMetricsHistory/xrAlloc/60
     GET:/xrayObservatory GET:/xrayObservatoryHistory/direct/60 GET:/getXrayVersion GET:/getPanelUpdateInfo
     GET:/getConfigJson GET:/getDb GET:/getNewUUID GET:/getNewX25519Cert GET:/getNewmldsa65 GET:/getNewmlkem768
     GET:/getNewVlessEnc POST:/getNewEchCert POST:/stopXrayService POST:/restartXrayService POST:/installXray/1.2.3
     POST:/updatePanel POST:/updateGeofile POST:/updateGeofile/geoip.dat POST:/logs/10 POST:/xraylogs/10
     POST:/importDB`,
  ),
  ...under(
    nodes,
    `GET:/list GET:/get/1 POST:/add POST:/update/1 POST:/del/1 POST:/setEnable/1 POST:/test POST:/probe/1
     GET:/history/1/cpu/60`,
  ),
  ...under(geo, 'GET:/list GET:/aliases POST:/add POST:/update/1 POST:/delete/1 POST:/download/1 POST:/update-all'),
  ...under('/panel/api', 'POST:/backuptotgbot'),
  ...under(
    '/panel/setting',
    `POST:/all POST:/update POST:/defaultSettings POST:/updateUser POST:/restartPanel GET:/getDefaultJsonConfig
     GET:/getApiToken POST:/regenerateApiToken`,
  ),
  ...under(
    '/panel/xray',
    `POST:/ GET:/getDefaultJsonConfig GET:/getOutboundsTraffic GET:/getXrayResult POST:/update POST:/warp/data
     POST:/nord/data POST:/resetOutboundsTraffic POST:/testOutbound`,
  ),
  ...under('', 'GET:/xui/inbounds GET:/panel/API/inbounds/list GET:/.well-known/appspecific/com.chrome.devtools.json'),
  // Last: it ends the session.
  ...under('', 'POST:/logout'),
];

/** Routes of other panels that clients of 3x-ui call too. */
export const otherPanels: readonly string[] = [
  ...under(inbounds, 'GET:/createbackup'),
  ...under(server, 'GET:/getWebCertFiles'),
  ...under('/panel/api/setting', 'POST:/all POST:/update POST:/updateUser POST:/defaultSettings POST:/restartPanel'),
  ...under('/panel/api/setting', 'GET:/getDefaultJsonConfig'),
  ...under(
    '/panel/api/xray',
    `POST:/ POST:/update POST:/warp/data POST:/nord/data POST:/testOutbound GET:/getOutboundsTraffic
     POST:/resetOutboundsTraffic GET:/getXrayResult GET:/getDefaultJsonConfig`,
  ),
  ...under('/panel/api/clients', 'GET:/list GET:/traffic/one POST:/add POST:/update/one POST:/del/one GET:/groups'),
  ...under('/panel/api', 'POST:/login'),
];

const PAGE = 'A page: this panel has one, at its base path.';
const OLD_PATH = 'Redirects for bookmarks of older panels; no program follows them with a body.';
const LATER =
  'The client-centred routes of later panels. Clients try them first and fall back to those of 3.0 when they are not there.';

/** Routes that are omitted on purpose, with the reason. docs/compatibility.md lists the same. */
export const absent: ReadonlyMap<RegExp, string> = new Map([
  [/^GET \/panel\/(inbounds|nodes|settings|xray)?$/, PAGE],
  [/^GET \/panel\/csrf-token$/, 'Only the pages of 3x-ui ask for it; /csrf-token answers the same.'],
  [/^GET \/(xui|panel\/API)\//, OLD_PATH],
  [/^GET \/\.well-known\//, 'Developer tools ask for it, and do without.'],
  [/^(GET|POST) \/panel\/api\/clients\//, LATER],
  [/^POST \/panel\/api\/login$/, 'Clients take its absence as the sign to log in at /login.'],
]);
