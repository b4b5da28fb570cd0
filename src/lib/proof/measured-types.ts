/**
 * The event types whose payloads a roll-up may remove. The verifier cannot import the catalog of events, because it is one
 * file without dependencies; a test compares this list with the catalog.
 */
export const MEASURED_TYPES: ReadonlySet<string> = new Set([
  'ClientIpsBlocked',
  'ClientIpsSeen',
  'ClientIpsUnblocked',
  'CommandRefused',
  'DirectorySynced',
  'LoggedIn',
  'LoggedOut',
  'LoginFailed',
  'NodeSyncFailed',
  'NodeSyncRecovered',
  'NodeTrafficRecorded',
  'NodeWentOffline',
  'NodeWentOnline',
  'OwnCodeUsed',
  'TrafficRecorded',
  'TrafficReportFailed',
  'TrafficReportRecovered',
  'TwoFactorCodeUsed',
  'WebhookFailed',
  'WebhookRecovered',
]);
