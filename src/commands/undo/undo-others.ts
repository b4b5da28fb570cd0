import type { RecordedEvent } from '../../events/catalog.js';
import { eventType } from '../../events/catalog.js';
import type { SettingKey } from '../../events/settings/settings.js';
import type { JsonObject } from '../../lib/json.js';
import { message, type Text } from '../../messages/message.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { KEY_DESTROYED, type Planning } from './planning.js';

const TRAFFIC = message('undo.traffic');
const ACCESS = message('undo.access');
const OUTSIDE = message('undo.outside');

/** Taken back with their document, or a consequence that is decided again. */
const WITH_DOCUMENT: ReadonlySet<RecordedEvent['type']> = new Set<RecordedEvent['type']>([
  ...(['ClientAdded', 'ClientDeleted', 'ClientUpdated', 'ClientIdentityChanged', 'ClientCredentialRotated'] as const),
  ...(['ClientDepleted', 'ClientReactivated', 'ClientExpiryStarted', 'ClientRenewed', 'ClientIpsUnblocked'] as const),
  ...(['ClientTrafficTransferred', 'ClientTrafficReset', 'ClientTrafficAdjusted', 'DataKeyDestroyed'] as const),
  ...(['InboundAdded', 'InboundDeleted', 'InboundUpdated', 'InboundReconfigured', 'InboundEnabled'] as const),
  ...(['InboundDisabled', 'InboundDepleted', 'InboundReactivated', 'NodeAdded', 'NodeUpdated', 'NodeDeleted'] as const),
  ...(['NodeTokenReplaced', 'NodeEnabled', 'NodeDisabled', 'SettingsChanged', 'CoreTemplateChanged'] as const),
  ...(['CoreStopRequested', 'TrafficRecounted', 'OwnerAssigned', 'InboundTrafficReset'] as const),
  ...(['OutboundTrafficReset', 'InboundHistoryImported', 'OutboundHistoryImported', 'RoleDefined'] as const),
  ...(['RoleDeleted', 'AdminAccessChanged', 'TokenCreated', 'TokenChanged', 'WebhookAdded', 'WebhookUpdated'] as const),
  ...(['WebhookPaused', 'WebhookResumed', 'WebhookDeleted', 'LegalHoldPlaced', 'LegalHoldReleased'] as const),
  ...(['GeoSourceAdded', 'GeoSourceUpdated', 'GeoSourceDeleted', 'CoreRestartRequested', 'CommandUndone'] as const),
]);

/** Plans what is not a client, an inbound or a node, and says what cannot be taken back. */
export function otherCommands(past: PastCommand, state: PanelState, planning: Planning): void {
  for (const event of past.events) {
    if (event.type === 'CoreStopRequested' && !state.core.wanted)
      planning.do('core', '', { type: 'RestartCore', data: {} });
    if (WITH_DOCUMENT.has(event.type) || isOfGeoSource(event, past)) continue;
    planning.cannot(event.stream, '', whyNot(event));
  }
  settingsBack(past, state, planning);
  templateBack(past, state, planning);
}

/** A download of a source that the same command added or changed. */
const isOfGeoSource = ({ type, data }: RecordedEvent, { others }: PastCommand): boolean =>
  type === 'GeoSourceDownloaded' && others.geoSources.has(data.source);

/** Reasons of single types. */
const REASONS: Partial<Record<RecordedEvent['type'], Text>> = {
  SecretSettingChanged: KEY_DESTROYED,
  ApiTokenIssued: KEY_DESTROYED,
  PersonalDataErased: KEY_DESTROYED,
  AdminDeleted: message('undo.accountGone'),
  TokenRevoked: message('undo.tokenSecret'),
  TokenRotated: message('undo.tokenSecret'),
  WebhookSecretRotated: message('undo.webhookSecret'),
  WebhookReplayRequested: message('undo.deliveries'),
  WebhookEventDiscarded: message('undo.deliveries'),
  ClientIpsCleared: TRAFFIC,
};

function whyNot({ type, stream }: RecordedEvent): Text {
  const reason = REASONS[type];
  if (reason) return reason;
  if (stream.startsWith('user-') || stream === 'users' || stream === 'sessions') return ACCESS;
  return type.includes('Traffic') || eventType(type)?.class === 'measured' ? TRAFFIC : OUTSIDE;
}

/** Two-factor login is switched with a code, which an undo does not have. */
const NEEDS_CODE: SettingKey = 'twoFactorEnable';

function settingsBack({ events, settings }: PastCommand, state: PanelState, planning: Planning): void {
  if (!settings || !events.some(({ type }) => type === 'SettingsChanged')) return;
  const current = Object.fromEntries(
    Object.keys(settings.after).map((key) => [key, state.settings[key as SettingKey]]),
  );
  const merged = planning.merged('settings', '', settings, current);
  const changes = Object.fromEntries(
    Object.entries(merged).filter(([key, value]) => key !== NEEDS_CODE && current[key] !== value),
  );
  if (merged[NEEDS_CODE] !== current[NEEDS_CODE]) planning.cannot('settings', '', ACCESS, NEEDS_CODE);
  if (Object.keys(changes).length > 0)
    planning.do('settings', '', { type: 'ChangeSettings', data: { changes, trustEveryProxy: true } });
}

function templateBack({ template }: PastCommand, state: PanelState, planning: Planning): void {
  if (!template) return;
  if (template.erased) return planning.cannot('core', '', KEY_DESTROYED, 'template');
  const current = state.template && {
    template: state.template.template as JsonObject,
    outboundTestUrl: state.template.url,
  };
  if (!current) return;
  const data = planning.merged('core', '', template, current);
  planning.do('core', '', { type: 'ChangeCoreTemplate', data });
}
