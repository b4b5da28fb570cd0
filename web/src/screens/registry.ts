import { screen as access } from './access/screen';
import { screen as account } from './account/screen';
import { screen as audit } from './audit/screen';
import { screen as backups } from './backups/screen';
import { screen as clients } from './clients/screen';
import { screen as cluster } from './cluster/screen';
import { screen as core } from './core/screen';
import { screen as geo } from './geo/screen';
import { screen as inbounds } from './inbounds/screen';
import { screen as nodes } from './nodes/screen';
import { screen as overview } from './overview/screen';
import { screen as proof } from './proof/screen';
import type { ScreenDefinition } from './screen';
import { screen as settings } from './settings/screen';
import { screen as setup } from './setup/screen';
import { screen as webhooks } from './webhooks/screen';

/** Every screen, in the order of the navigation. */
export const screens: readonly ScreenDefinition[] = [
  overview,
  clients,
  inbounds,
  nodes,
  cluster,
  core,
  geo,
  backups,
  settings,
  webhooks,
  audit,
  proof,
  access,
  account,
  setup,
];
