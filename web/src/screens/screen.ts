import type { Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { GuardedPath } from '../api/access';
import type { LoadTexts } from '../i18n/i18n';
import type { Texts } from '../i18n/texts';

/** The names of the screens: each is a folder here, a namespace of texts, and the first part of its address. */
export type ScreenId = Exclude<keyof Texts, 'shell' | 'login'>;

/** The part of a screen that is loaded with the shell. */
export interface ScreenDefinition {
  readonly id: ScreenId;
  readonly icon: Icon;
  /** The group of the navigation; `none`: it is not there, but in the palette. */
  readonly group: 'traffic' | 'system' | 'security' | 'none';
  /** The second key of the shortcut `g` + key. */
  readonly key: string;
  /** A role without it does not see the screen: its first query, or all that it offers, would be refused. */
  readonly route: GuardedPath;
  readonly texts: LoadTexts;
  /** The component; it is loaded when the screen is opened, and handles all addresses below `#/<id>`. */
  readonly load: () => Promise<ComponentType>;
}
