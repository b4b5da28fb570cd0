import type { Router } from 'express';
import { mountEventStream } from '../../live/event-stream.js';
import { Rate } from '../../server/rate.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { PanelServices } from '../context.js';
import { tables } from '../contract/index.js';
import { type Gate, mount } from '../mount.js';
import { mountApiDocs } from '../openapi/serve.js';
import { adminHandlers, roleHandlers } from './access.js';
import { attentionHandlers } from './attention.js';
import { auditHandlers } from './audit.js';
import { databaseHandlers } from './backups/database.js';
import { restoreHandlers } from './backups/restore.js';
import { backupToChatHandlers } from './backups/to-chat.js';
import { capsuleHandlers } from './capsule.js';
import { clientHandlers } from './clients/clients.js';
import { clientListHandlers } from './clients/list.js';
import { clientStatementHandlers } from './clients/statement.js';
import { clientWhyHandlers } from './clients/why.js';
import { clusterHandlers } from './cluster.js';
import { coreControlHandlers } from './core/control.js';
import { customGeoHandlers } from './core/custom-geo.js';
import { historyHandlers } from './core/histories.js';
import { logHandlers } from './core/logs.js';
import { coreSettingHandlers } from './core/settings.js';
import { versionHandlers } from './core/versions.js';
import { diffHandlers } from './diff.js';
import { eventHandlers } from './events.js';
import { inboundFormHandlers } from './inbounds/form.js';
import { inboundHandlers } from './inbounds/inbounds.js';
import { keygenHandlers } from './inbounds/keygen.js';
import { nodeHandlers } from './nodes.js';
import { panelHandlers } from './panel.js';
import { pastCore, pastNodes } from './past.js';
import { personalDataHandlers } from './personal-data.js';
import { HEAD_RATE, proofHandlers } from './proof.js';
import { recountHandlers } from './recount.js';
import { serverHandlers } from './server.js';
import { settingDetailHandlers } from './settings/details.js';
import { settingApiHandlers, settingHandlers } from './settings/settings.js';
import { metricHandlers, tokenHandlers } from './tokens.js';
import { undoHandlers } from './undo.js';
import { webhookHandlers } from './webhooks.js';

/** Binds every table except those of logins and of the caller's account, whose handlers set cookies. Each receives the services that it declares. */
export function mountHandlers(router: Router, gate: Gate<AuthRequest>, services: PanelServices): void {
  const { read, now, core, machine, accounts, nodes, releases, backup, history, server, outside } = services;
  const { webhooks } = services;
  mount(router, tables.clients, clientHandlers, gate, { read, now, ...history });
  mount(router, tables.clientList, clientListHandlers, gate, { read, now, ...history, ...server });
  mount(router, tables.clientWhy, clientWhyHandlers, gate, { read, now, ...history, ...nodes });
  const statement = { read, now, ...history };
  mount(router, tables.clientStatement, clientStatementHandlers, gate, statement, (moment, whole) => ({
    ...{ ...statement, ...moment },
    ledger: history.ledgerAt(whole),
  }));
  mount(router, tables.inboundForms, inboundFormHandlers, gate, { read, now, ...core, ...machine, ...history });
  mount(router, tables.inbounds, inboundHandlers, gate, { read, ...core, ...machine, ...history });
  mount(router, tables.server, serverHandlers, gate, { read, ...machine });
  mount(router, tables.attention, attentionHandlers, gate, { read, ...history, ...machine, ...webhooks });
  mount(router, tables.histories, historyHandlers, gate, { read, ...core, ...machine });
  mount(router, tables.logs, logHandlers, gate, { read, ...core, ...machine });
  const control = { read, ...core, ...machine };
  mount(router, tables.coreControl, coreControlHandlers, gate, control, (moment) => ({
    ...{ ...control, ...moment },
    core: pastCore(core.core),
  }));
  mount(router, tables.keygen, keygenHandlers, gate, { read, ...core });
  mount(router, tables.versions, versionHandlers, gate, { read, ...releases, ...history });
  mount(router, tables.database, databaseHandlers, gate, { read, ...backup });
  mount(router, tables.restore, restoreHandlers, gate, { read, ...backup, ...server });
  mount(router, tables.backupToChat, backupToChatHandlers, gate, { ...backup, ...machine });
  const setting = { read, now, ...machine, ...accounts, ...server, ...outside };
  mount(router, tables.settings, settingHandlers, gate, setting);
  mount(router, tables.settingsApi, settingApiHandlers, gate, setting);
  mount(router, tables.settingDetails, settingDetailHandlers, gate, setting, (moment) => ({
    ...{ ...setting, ...moment },
    // Which settings waited for a restart is not recorded.
    servedSettings: () => moment.read.settings.current(),
  }));
  const panel = { read, ...server };
  mount(router, tables.panel, panelHandlers, gate, panel);
  mount(router, tables.panelApi, panelHandlers, gate, panel);
  const coreSetting = { read, now, ...core, ...machine, ...outside };
  mount(router, tables.coreSettings, coreSettingHandlers, gate, coreSetting);
  mount(router, tables.coreSettingsApi, coreSettingHandlers, gate, coreSetting);
  mount(router, tables.customGeo, customGeoHandlers, gate, { read, ...releases, ...history });
  const node = { read, ...nodes, ...outside };
  const past = pastNodes(nodes);
  mount(router, tables.nodes, nodeHandlers, gate, node, (moment) => ({ ...node, ...moment, nodes: past }));
  mount(router, tables.cluster, clusterHandlers, gate, { read, now, ...backup, ...server });
  mountEventStream(router, gate, history);
  mount(router, tables.events, eventHandlers, gate, history);
  mount(router, tables.undo, undoHandlers, gate, history);
  mount(router, tables.recount, recountHandlers, gate, { read, ...history });
  mount(router, tables.capsule, capsuleHandlers, gate, history);
  mount(router, tables.diff, diffHandlers, gate, { read, now, ...history, ...backup });
  mount(router, tables.audit, auditHandlers, gate, { read, ...history });
  const headRate = new Rate(now, HEAD_RATE);
  mount(router, tables.proof, proofHandlers, gate, { read, ...history, headRate });
  mount(router, tables.admins, adminHandlers, gate, { read, ...accounts });
  mount(router, tables.roles, roleHandlers, gate, { read });
  mount(router, tables.tokens, tokenHandlers, gate, { read, now });
  mount(router, tables.metrics, metricHandlers, gate, { ...machine });
  mount(router, tables.personalData, personalDataHandlers, gate, { read, now, ...history });
  mount(router, tables.webhooks, webhookHandlers, gate, { read, now, ...history, ...outside, ...webhooks });
  mountApiDocs(router, gate, machine.version);
}
