import { type ComponentType, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { toastError } from '../ui/feedback/toast';

/**
 * A part of the frame that is loaded with its first use: the component, null until then, and the function that loads it.
 * A part that cannot be loaded is reported, and the next use tries again.
 */
export function usePart<P>(load: () => Promise<ComponentType<P>>): readonly [ComponentType<P> | null, () => void] {
  const { t } = useTranslation('shell');
  const [part, setPart] = useState<ComponentType<P> | null>(null);
  const isLoading = useRef(false);
  const use = async (): Promise<void> => {
    if (part !== null || isLoading.current) return;
    isLoading.current = true;
    try {
      const loaded = await load();
      setPart(() => loaded);
    } catch {
      toastError(new ApiError(t('error.part'), 'OFFLINE', 0));
    } finally {
      isLoading.current = false;
    }
  };
  return [part, () => void use()];
}
