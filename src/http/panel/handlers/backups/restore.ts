import type { ImportReport } from '../../../../commands/import/plan.js';
import type { Replacement } from '../../../../commands/ports/backups.js';
import type { FileToCheck, RestoreCheck } from '../../../../commands/ports/restore-checks.js';
import { reject } from '../../../../commands/rejection.js';
import { within } from '../../../../lib/time/within.js';
import { codeOf, message, type Text } from '../../../../messages/message.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { restoreRoutes } from '../../contract/backups/restore.js';
import type { Handlers } from '../../mount.js';
import { Download, Message } from '../../outcomes.js';
import { backupRefusal } from './database.js';

/** How long a caller waits for a backup, in ms. Proxies often close a request after 30 seconds. */
const TIMEOUT_MS = 25_000;

type Services = Needs<'backups' | 'restoreChecks' | 'read' | 'overrides' | 'logHead' | 'cluster'>;

export const restoreHandlers: Handlers<typeof restoreRoutes, Services> = {
  downloadBackup({ params: { name } }, { backups }) {
    const kept = backups.list().find((file) => file.name === name);
    const path = backups.pathOf(name);
    if (!kept || path === null) return reject('BACKUP_NOT_FOUND', { name });
    return new Download({ path, name, bytes: kept.bytes, isKept: true });
  },

  async makeBackup(_, { backups }) {
    const making = backups.keep().then(
      () => new Message(message('backup.made')),
      (error: unknown) => backupRefusal(error, (why) => reject('BACKUP_FAILED', { why })),
    );
    return within(TIMEOUT_MS, making, () => new Message(message('common.stillRunning')));
  },

  checkBackup: ({ body: { name, passphrase } }, services, request) =>
    begun(services, request, { kept: name, passphrase, requestedBy: request.actor }),

  checkDB: ({ body: { db, passphrase } }, services, request) =>
    begun(services, request, { path: db.path, passphrase, requestedBy: request.actor }),

  restoreCheck(_, services, request) {
    const check = services.restoreChecks.current(request.actor);
    return check && view(check, services, request);
  },

  async restore({ body: { id } }, { restoreChecks }, { actor }) {
    try {
      await restoreChecks.confirm(id, actor);
      return new Message(message('backup.imported'));
    } catch (error) {
      return backupRefusal(error, (why) => reject('IMPORT_REFUSED', { why }));
    }
  },

  discardRestore({ body: { id } }, { restoreChecks }, { actor }) {
    restoreChecks.discard(id, actor);
    return new Message(message('backup.discarded'));
  },
};

function begun(services: Services, request: HttpRequest, file: FileToCheck) {
  if (services.cluster) return reject('IMPORT_REFUSED', { why: message('backup.inCluster') });
  try {
    return view(services.restoreChecks.begin(file), services, request);
  } catch (error) {
    return backupRefusal(error, (why) => reject('IMPORT_REFUSED', { why }));
  }
}

type Say = HttpRequest['say'];

function view({ outcome, progress, ...check }: RestoreCheck, services: Services, { say }: Pick<HttpRequest, 'say'>) {
  const why = outcome && 'refused' in outcome ? outcome.refused : null;
  const ready = outcome && 'ready' in outcome ? outcome.ready : null;
  return {
    ...check,
    phase: ready ? ('ready' as const) : why ? ('refused' as const) : progress.phase,
    done: progress.done,
    total: progress.total,
    why: why && say(why),
    whyCode: codeOf(why),
    report: ready && reportOf(ready, services, say),
  };
}

function reportOf({ kind, sha256, origin, contents, kept, report }: Replacement, services: Services, say: Say) {
  const { read, overrides, logHead } = services;
  const { generation, position } = logHead();
  const { basePath, ...after } = contents;
  return {
    ...{ kind, sha256, after },
    backup: origin && {
      ...{ position: origin.position, madeAt: origin.madeAt, release: origin.release },
      newer: origin.generation === generation ? Math.max(0, position - origin.position) : null,
    },
    before: {
      inbounds: read.inbounds.all().length,
      clients: [...read.clients.all()].length,
      nodes: read.nodes.all().length,
      admins: read.admins.users().users.size,
    },
    kept: kept.map(({ key, why }) => ({ key, why: say(why), whyCode: codeOf(why) })),
    import: report && importOf(report, say),
    // An overridden setting stays overridden.
    basePath: overrides.webBasePath ? String(overrides.webBasePath.value) : basePath,
  };
}

function importOf({ version, tables, totals, found, findings }: ImportReport, say: Say) {
  const said = (text: Text) => ({ reason: say(text), reasonCode: codeOf(text) });
  return {
    ...{ version, tables: [...tables], ...totals, found },
    findings: findings.map(({ table, item, outcome, reason }) => ({
      ...{ table, item: say(item), outcome, ...said(reason) },
    })),
  };
}
