import type { GeoSource } from '../../events/geo/geo-document.js';
import { WebhookId } from '../../events/ids.js';
import type { Webhook } from '../../events/webhook/webhook-document.js';
import { sameJson } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { DELETED_SINCE, KEY_DESTROYED, type Planning } from './planning.js';

const GEO_FILE = message('undo.geoFile');

/** Webhooks, legal holds and sources of geo files. What was deleted comes back under a new number. */
export function servicesBack({ others }: PastCommand, state: PanelState, planning: Planning): void {
  webhooksBack(others.webhooks, state, planning);
  for (const [hold, { before, after, erased }] of others.holds) {
    const document = `hold-${hold}`;
    if (before === null) {
      if (state.holds.has(hold)) planning.do(document, '', { type: 'ReleaseLegalHold', data: { hold, reason: '' } });
    } else if (after === null && erased) planning.cannot(document, '', KEY_DESTROYED);
    else if (after === null) {
      const { clients, from, to, reason } = before;
      planning.do(document, '', { type: 'PlaceLegalHold', data: { clients, from, to, reason } });
    }
  }
  for (const [source, { before, after }] of others.geoSources) {
    const [document, name] = [`geo-source-${source}`, (before ?? after)?.alias ?? ''];
    const current = state.geoSources.get(source);
    if (before === null) {
      if (current) planning.do(document, name, { type: 'DeleteGeoSource', data: { source } });
    } else if (after === null) {
      planning.do(document, name, { type: 'AddGeoSource', data: { ...placeOf(before), content: null, used: false } });
      planning.cannot(document, name, GEO_FILE, 'content');
    } else if (!current) planning.cannot(document, name, DELETED_SINCE);
    else {
      const step = { before: placeOf(before), after: placeOf(after) };
      const next = planning.merged(document, name, step, placeOf(current));
      if (sameJson(next, placeOf(current))) continue;
      planning.do(document, name, { type: 'UpdateGeoSource', data: { source, ...next, content: null, used: false } });
      planning.cannot(document, name, GEO_FILE, 'content');
    }
  }
}

const placeOf = ({ type, alias, url }: GeoSource) => ({ type, alias, url });

function webhooksBack(steps: PastCommand['others']['webhooks'], state: PanelState, planning: Planning): void {
  let { lastId } = state.webhooks;
  for (const [webhook, { before, after, erased }] of steps) {
    const [document, name] = [`webhook-${webhook}`, (before ?? after)?.name ?? ''];
    const current = state.webhooks.byId.get(webhook);
    if (before === null) {
      if (current) planning.do(document, name, { type: 'DeleteWebhook', data: { webhook } });
    } else if (after === null && erased) planning.cannot(document, name, KEY_DESTROYED);
    else if (after === null) {
      const { url, types, secret } = before;
      planning.do(document, name, { type: 'AddWebhook', data: { name, url, types, secret, after: null } });
      lastId += 1;
      if (before.paused)
        planning.do(document, name, { type: 'PauseWebhook', data: { webhook: WebhookId.parse(lastId) } });
    } else if (current) webhookBack(document, { before, after, current }, planning);
    else planning.cannot(document, name, DELETED_SINCE);
  }
}

function webhookBack(
  document: string,
  { before, after, current }: { readonly before: Webhook; readonly after: Webhook; readonly current: Webhook },
  planning: Planning,
): void {
  const { id: webhook, name } = current;
  const step = { before: draftOf(before), after: draftOf(after) };
  const { paused, ...draft } = planning.merged(document, name, step, draftOf(current));
  const { paused: now, ...asNow } = draftOf(current);
  if (!sameJson(draft, asNow)) planning.do(document, name, { type: 'UpdateWebhook', data: { webhook, ...draft } });
  if (paused !== now)
    planning.do(document, name, { type: paused ? 'PauseWebhook' : 'ResumeWebhook', data: { webhook } });
}

const draftOf = ({ name, url, types, paused }: Webhook) => ({ name, url, types, paused: paused !== null });
