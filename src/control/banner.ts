import type { Core } from '../commands/ports/core.js';
import { message, type Text, verbatim } from '../messages/message.js';
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
    warnings(): readonly Text[];
  };
  readonly version: string;
  readonly dataDir: string;
  /** Renders a text in the language of the operator. */
  readonly say: (text: Text) => string;
}

/** Width of the column of labels. */
const LABEL = 15;

/** What a start prints for the operator: the addresses, the state of the core, warnings. */
export function bannerText({ read, core, startup, servers, version, dataDir, say }: Parts): string {
  const { panel, subscription, ops } = servers.urls();
  const { subEnable, subPath } = read.settings.current();
  const { complaint, switched } = startup;
  const admins = [...read.admins.users().users.values()];
  const admin = (admins.find(({ id }) => read.admins.accessOf(id).isOwner) ?? admins[0])?.username;
  const row = (label: Text, value: Text): string => `  ${say(label).padEnd(LABEL)}${say(value)}`;
  const subscriptions = subEnable ? verbatim(`${subscription}${subPath}<subId>`) : message('start.off');
  const warning = (what: Text): Text => message('start.warning', { what });
  const lines = [
    '',
    `  Portolan ${version}`,
    '',
    row(message('start.panel'), verbatim(`${panel}${servers.basePath()}`)),
    row(message('start.admin'), admin === undefined ? message('start.noAdmin') : verbatim(admin)),
    row(message('start.subscriptions'), subscriptions),
    row(message('start.core'), coreStatus(read, core)),
    row(message('start.data'), verbatim(dataDir)),
    row(message('start.health'), verbatim(`${ops}/readyz`)),
    '',
    ...(switched === null ? [] : [`  ${say(switchText(switched))}`]),
    ...[...servers.warnings(), ...rejectedInbounds(read)].map((what) => `  ${say(warning(what))}`),
    `  ${say(complaint === null ? message('start.next') : message('start.readOnly', { why: complaint }))}`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function coreStatus(read: ReadModels, core: Pick<Core, 'process'>): Text {
  const { process: state } = read.records.core();
  if (state.state === 'running') return message('start.coreRunning', { version: state.version });
  if (state.error !== null) return message('start.coreError', { why: state.error });
  return message(core.process.running ? 'start.coreStarting' : 'start.coreStopped');
}

/** Inbounds that the core rejected at an earlier start and still does not run. No event reports them again. */
function rejectedInbounds(read: ReadModels): readonly Text[] {
  const inbounds = new Map(read.inbounds.all().map((inbound) => [inbound.id, inbound]));
  return refusedHere(inbounds, read.records.core()).map(({ inbound: { id, tag }, reason }) =>
    message('start.inboundRejected', { inbound: id, tag, reason }),
  );
}

/** Which of two states this start serves. */
export function switchText({ outcome, why }: SwitchResult): Text {
  return message(outcome === 'switched' ? 'start.newState' : 'start.previousState', { why });
}
