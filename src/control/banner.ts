import type { Core } from '../commands/ports/core.js';
import { render } from '../messages/render.js';
import { refusedHere } from '../projections/core/refused-here.js';
import type { ReadModels } from '../projections/read-models.js';
import type { SwitchResult } from '../store/generations.js';
import type { PanelStore } from '../store/panel-store.js';

interface Parts {
  readonly read: ReadModels;
  readonly core: Pick<Core, 'process'>;
  readonly startup: PanelStore['startup'];
  readonly servers: {
    urls(): { readonly panel: string; readonly subscription: string; readonly ops: string };
    basePath(): string;
    warnings(): readonly string[];
  };
  readonly version: string;
  readonly dataDir: string;
}

/** What a start prints for the operator: the addresses, the state of the core, warnings. */
export function bannerText({ read, core, startup, servers, version, dataDir }: Parts): string {
  const { panel, subscription, ops } = servers.urls();
  const { subEnable, subPath } = read.settings.current();
  const { complaint, switched } = startup;
  const admin = [...read.users().users.values()][0]?.username ?? '(none)';
  const lines = [
    '',
    `  Portolan ${version}`,
    '',
    `  Panel          ${panel}${servers.basePath()}`,
    `  Admin          ${admin}`,
    `  Subscriptions  ${subEnable ? `${subscription}${subPath}<subId>` : 'off'}`,
    `  Core           ${coreLine(read, core)}`,
    `  Data           ${dataDir}`,
    `  Health         ${ops}/readyz`,
    '',
    ...(switched === null ? [] : [`  ${switchText(switched)}`]),
    ...[...servers.warnings(), ...refusals(read)].map((warning) => `  WARNING: ${warning}`),
    ...(complaint === null ? ['  Next: log in and add an inbound.'] : [`  READ ONLY: ${complaint}`]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function coreLine(read: ReadModels, core: Pick<Core, 'process'>): string {
  const { process: state } = read.core();
  if (state.state === 'running') return `running, version ${state.version}`;
  if (state.error !== null) return `${state.state}: ${render(state.error, 'en')}`;
  return core.process.running ? 'starting' : 'stopped';
}

/** Inbounds that the core rejected at an earlier start and still does not run. No event reports them again. */
function refusals(read: ReadModels): readonly string[] {
  const inbounds = new Map(read.inbounds.all().map((inbound) => [inbound.id, inbound]));
  return refusedHere(inbounds, read.core()).map(
    ({ inbound: { id, tag }, reason }) => `the core does not accept inbound ${id} (${tag}): ${render(reason, 'en')}`,
  );
}

/** Which of two states this start serves. */
export function switchText({ outcome, why }: SwitchResult): string {
  return outcome === 'switched' ? `NEW STATE: ${why}` : `THE FORMER STATE IS BACK: ${why}`;
}
