import { Drawer, type DrawerProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFocusReturn } from './focus-return';
import { closeForm } from './leave';

/**
 * A panel at the side that is mounted only while it is open. The focus returns to what opened it. It asks before unsaved
 * input of a form in it is lost.
 */
export function SidePanel({ onClose, ...props }: Omit<DrawerProps, 'opened' | 'position'>) {
  const { t } = useTranslation('shell');
  useFocusReturn();
  return (
    <Drawer
      opened
      position="right"
      closeButtonProps={{ 'aria-label': t('close') }}
      onClose={() => closeForm(onClose)}
      {...props}
    />
  );
}
