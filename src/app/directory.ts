import { asSystem } from '../commands/bus.js';
import type { Directory } from '../commands/ports/directory.js';
import { DirectorySync } from '../commands/reactors/directory/directory-sync.js';
import { freshCredential, freshSubId } from '../http/panel/codec/fresh.js';
import type { Panel } from './panel.js';

type Warn = (message: string, fields?: object) => void;

/** Keeps the clients of a panel in line with a directory between `begin` and `stop`. */
export function createDirectorySync({ read, dispatch, now }: Panel, directory: Directory, warn: Warn): DirectorySync {
  return new DirectorySync({
    directory,
    settings: () => read.settings.current(),
    secrets: () => read.settings.secrets(),
    known: () => ({
      settings: read.settings.current(),
      inbounds: read.inbounds.all(),
      clientsOf: (inbound) => read.clients.ofInbound(inbound),
      clientByEmail: (email) => read.clients.firstByEmail(email),
      made: read.records.directory().made,
      disabled: read.records.directory().disabled,
    }),
    client: (number) => read.clients.get(number),
    last: () => read.records.directory().last?.outcome ?? null,
    fresh: ({ protocol, config }) => ({ credential: freshCredential(protocol, config.settings), subId: freshSubId() }),
    // `projections/directory` recognizes the events of a sync by this name.
    dispatch: (command) => dispatch(command, asSystem('directory')),
    changed$: read.changed$,
    now,
    warn,
  });
}
