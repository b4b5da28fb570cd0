import { message, type Text, verbatim } from '../../messages/message.js';

/** Parts of the panel that cause events, by the names that they have in the log. */
const PARTS: ReadonlyMap<string, Text> = new Map<string, Text>([
  ['anonymous', message('history.partNotLoggedIn')],
  ['backup', message('history.partBackup')],
  ['chat-bot', message('history.partChatBot')],
  ['cli', message('history.partCli')],
  ['cluster', message('history.partCluster')],
  ['core', message('history.partCore')],
  ['directory', message('history.partDirectory')],
  ['first start', message('history.partFirstStart')],
  ['geo', message('history.partGeo')],
  ['import', message('history.partImport')],
  ['ip-limit', message('history.partIpLimit')],
  ['login', message('history.partLogin')],
  ['node-sync', message('history.partNodeSync')],
  ['panel', message('history.partPanel')],
  ['proof', message('history.partProof')],
  ['retention', message('history.partRetention')],
  ['servers', message('history.partServers')],
  ['traffic-report', message('history.partTrafficReport')],
  ['traffic-intake', message('history.partTraffic')],
  ['webhooks', message('history.partWebhooks')],
  ['versions', message('history.partVersions')],
]);

/** The panel itself as the actor of an event; a part that this version does not know is shown by its name. */
export function panelText(part: string): Text {
  return message('history.byPanel', { part: PARTS.get(part) ?? verbatim(part) });
}
