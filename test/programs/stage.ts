import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipOf } from '../kit/formats/zip.js';
import { geoipFile, geositeFile } from '../kit/geo.js';
import { coreBinary } from '../kit/real/core-process.js';
import { coreAs, putCore } from '../kit/real/core-versions.js';
import { type Admin, must, type PanelProcess, startPanel } from '../kit/real/panel-process.js';
import { type BotServer, startBotServer } from '../kit/real/servers/bot-server.js';
import { coreAssets, type ReleaseServer, startReleaseServer } from '../kit/real/servers/release-server.js';
import { ThreeXuiNode } from '../kit/real/three-x-ui/three-x-ui-node.js';

/** Versions of the core, which the programs install in turn. */
export const CORES = ['26.7.27', '26.7.29'] as const;

const BOT = '4242:the-token-of-a-bot';
const CHAT = 71;
const LISTS = {
  'Loyalsoldier/v2ray-rules-dat': ['geoip.dat', 'geosite.dat'],
  'chocolate4u/Iran-v2ray-rules': ['geoip.dat', 'geosite.dat'],
  'runetfreedom/russia-v2ray-rules-dat': ['geoip.dat', 'geosite.dat'],
} as const;

/** A panel with the servers that an operation may need: releases, geo lists, a chat bot, another panel. */
export interface Stage {
  readonly panel: PanelProcess;
  readonly admin: Admin;
  /** Of the panel. */
  readonly token: string;
  readonly releases: ReleaseServer;
  readonly bot: BotServer;
  readonly node: ThreeXuiNode;
  strike(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const [old, fresh] = CORES.map((version) => coreAs(coreBinary() ?? '', version));
  const releases = await startReleaseServer();
  releases.release('core', `v${CORES[1]}`, coreAssets(zipOf([{ name: 'xray', data: fresh ?? '' }])));
  for (const [place, names] of Object.entries(LISTS)) {
    for (const name of names) {
      const bytes = name.startsWith('geoip') ? geoipFile('ZZ', [127, 0, 0, 0], 8) : geositeFile('ZZ', 'example.com');
      releases.put(`/${place}/releases/latest/download/${name}`, bytes);
    }
  }
  releases.put('/mine.dat', geoipFile('MINE', [10, 0, 0, 0], 8));

  const bot = await startBotServer({ token: BOT });
  bot.open(CHAT);
  const node = await ThreeXuiNode.start();

  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-kit-data-'));
  chmodSync(dataDir, 0o700);
  putCore(dataDir, CORES[0], old ?? '');
  const panel = await startPanel({ dataDir, coreBin: '', env: releases.env, launcher: true });
  const admin = await panel.admin();
  const chat = { chatBotToken: BOT, chatBotAPIServer: bot.url, chatBotChatId: `${CHAT}`, chatBotEnable: true };
  await must(admin.post('/panel/setting/update', chat));
  // Stored once, it does not change when a program sends back what it read.
  const { coreSetting } = await must(admin.post<{ coreSetting: string }>('/panel/core/'));
  await must(admin.form('/panel/core/update', { coreSetting }));
  return {
    ...{ panel, admin, releases, bot, node },
    token: await must(admin.get<string>('/panel/setting/getApiToken')),
    async strike() {
      await panel.cleanUp();
      await Promise.all([releases.stop(), bot.stop(), node.stop()]);
    },
  };
}
