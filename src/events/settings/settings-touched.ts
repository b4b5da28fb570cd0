import type { RecordedEvent } from '../catalog.js';
import type { Settings } from './settings.js';

/** Whether one of these settings was changed by one of these events. */
export function touchSettings(events: readonly RecordedEvent[], keys: readonly (keyof Settings)[]): boolean {
  return events.some((event) => event.type === 'SettingsChanged' && keys.some((key) => key in event.data.changes));
}
