import { Modal, type ModalProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFocusReturn } from './focus-return';

/** A dialog that is mounted only while it is open. The focus returns to what opened it. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const { t } = useTranslation('shell');
  useFocusReturn();
  return <Modal opened closeButtonProps={{ 'aria-label': t('close') }} {...props} />;
}
