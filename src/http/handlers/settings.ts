import { Rejection } from '../../commands/rejection.js';
import { defaultTemplate } from '../../projections/template.js';
import { freshApiToken } from '../codec/fresh.js';
import { pageSettings, settingChanges, settingsView } from '../codec/settings.js';
import type { HttpContext } from '../context.js';
import type { settingApiRoutes, settingRoutes } from '../contract/settings.js';
import type { Handlers } from '../mount.js';
import { said } from './answers.js';

export const settingApiHandlers: Handlers<typeof settingApiRoutes> = {
  all: (_, { read }) => settingsView(read),

  update({ body }, { dispatch }) {
    const done = dispatch({ type: 'ChangeSettings', data: { changes: settingChanges(body) } });
    return said(done, 'The parameters have been changed.');
  },

  defaultSettings: (_, { read, requestHost, subPort }) => pageSettings(read.settings(), requestHost, subPort()),
  getDefaultJsonConfig: () => defaultTemplate,
};

export const settingHandlers: Handlers<typeof settingRoutes> = {
  ...settingApiHandlers,
  getApiToken: (_, context) => issue(context, false),
  regenerateApiToken: (_, context) => issue(context, true),
};

/** The token that holds after the command: an older one where it is not to be replaced. */
function issue({ read, dispatch }: HttpContext, replace: boolean): string | Rejection {
  const known = read.users().apiToken;
  if (known !== null && !replace) return known;
  const token = freshApiToken();
  const done = dispatch({ type: 'IssueApiToken', data: { token, replace } });
  return done instanceof Rejection ? done : (read.users().apiToken ?? token);
}
