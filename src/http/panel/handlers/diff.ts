import { Rejection, reject } from '../../../commands/rejection.js';
import { visible } from '../../../lib/errors/print-problem.js';
import { inSlices } from '../../../lib/time/slices.js';
import { message } from '../../../messages/message.js';
import { coded } from '../../../messages/rendered.js';
import { type DiffReport, diffSteps } from '../../../projections/diff/diff.js';
import { diffLines } from '../../../projections/diff/diff-text.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { ComparedSide, Needs } from '../context.js';
import type { Compared, diffRoutes } from '../contract/diff.js';
import type { Handlers } from '../mount.js';
import { Attachment } from '../outcomes.js';

/** Documents of a diff in one answer. */
const DEFAULT_DOCUMENTS = 100;
/** What names a backup of the list, and the uploaded file. */
const BACKUP = 'backup:';
const UPLOAD = 'upload';

type Services = Needs<'audit' | 'backupDiffs' | 'moment' | 'now' | 'place' | 'read'>;
type Asked = Compared & { readonly from: string; readonly to: string };
type File = Extract<ComparedSide, { readonly path: string }>;

export const diffHandlers: Handlers<typeof diffRoutes, Services, AuthRequest> = {
  async diff({ query }, services, request) {
    const isBackup = [query.from, query.to].some((side) => side.startsWith(BACKUP));
    const report = isBackup
      ? await betweenFiles(query, null, services, request.signal)
      : await betweenMoments(query, services, request.signal);
    return shown(report, query.format, request);
  },

  async diffUpload({ body: { db, passphrase = '', ...asked } }, services, request) {
    if (asked.from !== UPLOAD && asked.to !== UPLOAD)
      return reject('INPUT_INVALID', { problems: [message('input.diffWithoutUpload')] });
    const report = await betweenFiles(asked, { path: db.path, passphrase }, services, request.signal);
    return shown(report, asked.format, request);
  },
};

async function betweenMoments(asked: Asked, services: Services, signal: AbortSignal): Promise<DiffReport | Rejection> {
  const { audit, moment, now, read } = services;
  const { from, to, noun, client } = asked;
  const earlier = await moment(from);
  if (earlier instanceof Rejection) return earlier;
  const later = to === '' ? { position: audit.log.head().position, at: now(), read } : await moment(to);
  if (later instanceof Rejection) return later;
  const range = { from: earlier.position, to: later.position };
  if (range.from > range.to) return reject('MOMENTS_REVERSED', range);
  return inSlices(diffSteps(earlier, later, { noun, client }, { part: partOf(asked), search: audit.log }), signal);
}

/** One side is a backup at least. `file`: the uploaded one. */
async function betweenFiles(asked: Asked, file: File | null, services: Services, signal: AbortSignal) {
  const from = await sideOf(asked.from, file, services);
  if (from instanceof Rejection) return from;
  const to = await sideOf(asked.to, file, services);
  if (to instanceof Rejection) return to;
  const { noun, client } = asked;
  return services.backupDiffs.compare({ from, to, filter: { noun, client }, part: partOf(asked) }, signal);
}

async function sideOf(side: string, file: File | null, { audit, place }: Services): Promise<ComparedSide | Rejection> {
  if (file && side === UPLOAD) return file;
  if (side.startsWith(BACKUP)) return { kept: side.slice(BACKUP.length, BACKUP.length + 200) };
  const position = side === '' ? audit.log.head().position : await place(side);
  return position instanceof Rejection ? position : { position };
}

const partOf = ({ skip, limit }: Asked) => ({ skip, limit: limit || DEFAULT_DOCUMENTS });

function shown(report: DiffReport | Rejection, format: Asked['format'], { auth, say }: AuthRequest) {
  if (report instanceof Rejection) return report;
  // The session may have ended during a long comparison.
  if (!auth.isStillValid) return reject('SESSION_EXPIRED');
  const { skipped: _, ...rest } = report;
  if (format === 'json') return coded(rest, say);
  const text = `${visible(diffLines(report, say).join('\n'))}\n`;
  return new Attachment({
    ...{ media: 'text/plain', text },
    name: `diff-${report.from.position}-${report.to.position}.txt`,
  });
}
