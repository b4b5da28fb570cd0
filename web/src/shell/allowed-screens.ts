import { useMemo } from 'react';
import { useMay } from '../api/access';
import { screens } from '../screens/registry';
import type { ScreenDefinition, ScreenId } from '../screens/screen';

/** The screens that the role of the admin includes, in the order of the navigation. */
export function useAllowedScreens(): readonly ScreenDefinition[] {
  const may = useMay();
  return useMemo(() => screens.filter(({ route }) => may(route)), [may]);
}

/** The screen at which the panel opens. */
export function useHome(): ScreenId {
  const [first] = useAllowedScreens();
  return first?.id ?? 'account';
}
