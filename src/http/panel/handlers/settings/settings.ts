import type { Done } from '../../../../commands/bus.js';
import { Rejection, reject, type SettingProblem } from '../../../../commands/rejection.js';
import type { SettingKey } from '../../../../events/settings/settings.js';
import { message } from '../../../../messages/message.js';
import { defaultTemplate } from '../../../../projections/core/template.js';
import type { AuthRequest } from '../../auth/auth-context.js';
import { freshApiToken } from '../../codec/fresh.js';
import { isSecret, type RequestedSettings, requestedSettings } from '../../codec/setting-changes.js';
import { ourName } from '../../codec/setting-names.js';
import { pageSettings, settingsView } from '../../codec/settings.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { settingApiRoutes, settingRoutes } from '../../contract/settings/settings.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { AT_RESTART } from '../at-restart.js';
import { concernsMachine, type Machine, machineProblems, settingsWith } from './checks.js';
import { beginsSetUp, submittedCodes } from './two-factor.js';

/** Limits of an answer: problems, and characters of a key. A body may be full of unknown keys. */
const MAX_PROBLEMS = 100;
const MAX_KEY_CHARS = 64;
const API_TOKEN = /^[\x21-\x7e]{32,200}$/;

type Services = Needs<'read' | 'now' | 'overrides' | 'subPort' | 'twoFactor'> & Machine;

export const settingApiHandlers: Handlers<typeof settingApiRoutes, Services, AuthRequest> = {
  all: (_, { read, overrides }) => settingsView(read, overrides),

  async update({ body }, services, request) {
    const requested = requestedSettings(body, services.read.settings.current());
    if (!beginsSetUp(services, request, requested.changes, requested.twoFactorCode))
      return answerOf(await change(services, request, requested), services, request);
    const { twoFactorEnable: _, ...changes } = requested.changes;
    const done = await change(services, request, { ...requested, changes });
    if (done instanceof Rejection) return done;
    const { twoFactor, read } = services;
    const { token, otpauthUrl, qr } = twoFactor.propose(read.admins.users().users.get(request.userId)?.username ?? '');
    return new Message(message('settings.twoFactorPending'), {
      ...notesOn(done, services),
      twoFactorToken: token,
      otpauthUrl,
      qr,
    });
  },

  defaultSettings(_, { read, subPort }, { requestHost }) {
    return pageSettings(read.settings.current(), { requestHost, subPort: subPort() });
  },

  getDefaultJsonConfig: () => defaultTemplate,
};

export const settingHandlers: Handlers<typeof settingRoutes, Services, AuthRequest> = {
  ...settingApiHandlers,

  async secret({ body: { key: name, value, twoFactorCode } }, services, request) {
    const key = ourName(name);
    if (key === 'apiToken') return giveToken(request, value);
    if (!isSecret(key)) return refused([{ key: name, why: message('settings.notSecret') }]);
    const requested = {
      changes: { [key]: value },
      problems: [],
      callerName: (faulty: string) => (faulty === key ? name : faulty),
      twoFactorCode,
      trustEveryProxy: false,
    };
    return answerOf(await change(services, request, requested), services, request);
  },

  getApiToken: (_, services, request) => issue(services, request, false),
  regenerateApiToken: (_, services, request) => issue(services, request, true),
};

/** Runs the checks that need the machine, then dispatches. All problems are in one rejection, under the caller's names. */
async function change(
  services: Services,
  request: AuthRequest,
  requested: RequestedSettings,
): Promise<Done | Rejection> {
  const { changes, trustEveryProxy, twoFactorCode } = requested;
  const codes = await submittedCodes(services, request, changes, twoFactorCode);
  const data = { changes, trustEveryProxy, ...(codes ? { codes } : {}) };
  const command = { type: 'ChangeSettings', data } as const;
  const current = services.read.settings.current();
  const next = settingsWith(current, changes);
  if (requested.problems.length > 0 || concernsMachine(current, next)) {
    const refusal = request.refusalOf(command);
    if (refusal && refusal.code !== 'SETTING_INVALID') return refusal;
    const problems = [...requested.problems, ...problemsOf(refusal)];
    const known = new Set(problems.map(({ key }) => key));
    const machine = await machineProblems(services, current, next);
    problems.push(...machine.filter(({ key }) => !known.has(key)));
    if (problems.length > 0) return refused(problems, requested);
  }
  const done = request.dispatch(command);
  return done instanceof Rejection && done.code === 'SETTING_INVALID' ? refused(problemsOf(done), requested) : done;
}

function problemsOf(refusal: Rejection | null): readonly SettingProblem[] {
  return refusal && 'problems' in refusal.details ? (refusal.details.problems as readonly SettingProblem[]) : [];
}

function refused(
  problems: readonly SettingProblem[],
  { callerName, changes }: Partial<Pick<RequestedSettings, 'callerName' | 'changes'>> = {},
): Rejection {
  const named = problems.slice(0, MAX_PROBLEMS).map(({ key, why }) => {
    const value = isSecret(key) ? undefined : changes?.[key];
    return { key: (callerName?.(key) ?? key).slice(0, MAX_KEY_CHARS), why, value };
  });
  return reject('SETTING_INVALID', { problems: named });
}

/** The result and what remains to be done. The caller keeps its session when all sessions end. */
function answerOf(done: Done | Rejection, services: Services, request: AuthRequest): Message | Rejection {
  if (done instanceof Rejection) return done;
  const { auth, userId } = request;
  const user = services.read.admins.users().users.get(userId);
  const ended = done.events.some(({ type }) => type === 'SessionsRevoked');
  if (ended && user && auth.session && auth.bearer === null) {
    const rejection = auth.browser.renew(user);
    if (rejection) return rejection;
  }
  const notes = notesOn(done, services);
  const later = notes && 'restart' in notes;
  return new Message(later ? message('settings.savedRestartNeeded') : message('settings.saved'), notes);
}

/** Which of the changes need a restart, and which are overridden; null when there are none. */
function notesOn({ events }: Done, { overrides }: Services): object | null {
  const changed = events.flatMap((event) =>
    event.type === 'SettingsChanged' ? (Object.keys(event.data.changes) as SettingKey[]) : [],
  );
  const restart = changed.filter((key) => AT_RESTART.has(key) && !overrides[key]);
  const environment = Object.fromEntries(changed.flatMap((key) => (overrides[key] ? [[key, overrides[key]]] : [])));
  const notes = {
    ...(restart.length > 0 ? { restart } : {}),
    ...(Object.keys(environment).length > 0 ? { environment } : {}),
  };
  return Object.keys(notes).length > 0 ? notes : null;
}

function giveToken({ dispatch }: HttpRequest, token: string): Message | Rejection {
  if (!API_TOKEN.test(token)) return refused([{ key: 'apiToken', why: message('settings.apiTokenInvalid') }]);
  const done = dispatch({ type: 'IssueApiToken', data: { token, replace: true } });
  return done instanceof Rejection ? done : new Message(message('settings.saved'));
}

/** The token in effect after the command: the existing one unless it is to be replaced. */
function issue({ read }: Services, { dispatch }: HttpRequest, replace: boolean): string | Rejection {
  const known = read.admins.users().apiToken;
  if (known !== null && !replace) return known;
  const token = freshApiToken();
  const done = dispatch({ type: 'IssueApiToken', data: { token, replace } });
  return done instanceof Rejection ? done : (read.admins.users().apiToken ?? token);
}
