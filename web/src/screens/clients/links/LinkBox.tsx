import { ActionIcon, Button, Group, Modal } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconMaximize from '@tabler/icons-react/dist/esm/icons/IconMaximize.mjs';
import IconQrcode from '@tabler/icons-react/dist/esm/icons/IconQrcode.mjs';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/display/CopyButton';
import { Qr, qrFile } from '../../../ui/display/Qr';
import { saveFile } from '../../../ui/display/save';
import { toastError } from '../../../ui/feedback/toast';
import classes from '../Clients.module.css';
import type { ClientLink } from './links';

/** A link with its QR code, to copy, to save and to show to a camera. */
export function LinkBox({ entry: { name, link }, email }: { readonly entry: ClientLink; readonly email: string }) {
  const { t } = useTranslation(['clients', 'shell']);
  const [isLarge, large] = useDisclosure(false);
  const label = t('qrOf', { name });
  const save = (type: 'svg' | 'png') =>
    void qrFile(link, type).then((blob) => saveFile(blob, `${email}.${type}`), toastError);
  return (
    <div className={classes['links']}>
      <button type="button" className={classes['qr']} onClick={large.open} aria-label={t('showLarge', { name })}>
        <Qr text={link} label={label} />
      </button>
      <LinkLine entry={{ name, link }} />
      <Group gap="xs" justify="center">
        <Button size="compact-sm" variant="default" leftSection={<IconMaximize size={14} />} onClick={large.open}>
          {t('large')}
        </Button>
        {(['svg', 'png'] as const).map((type) => (
          <Button
            key={type}
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
            aria-label={t('saveQr', { type: type.toUpperCase() })}
            onClick={() => save(type)}
          >
            {type.toUpperCase()}
          </Button>
        ))}
      </Group>
      <LargeQr entry={{ name, link }} opened={isLarge} onClose={large.close} />
    </div>
  );
}

interface LargeQrProps {
  readonly entry: ClientLink;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The QR code of a link, as large as the screen of a phone. */
function LargeQr({ entry: { name, link }, opened, onClose }: LargeQrProps) {
  const { t } = useTranslation(['clients', 'shell']);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      fullScreen={isPhone === true}
      size="lg"
      title={name}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <div className={classes['largeQr']}>
        <Qr text={link} label={t('qrOf', { name })} />
      </div>
    </Modal>
  );
}

/** A link in one line, with its QR code. */
export function LinkWithQr({ entry }: { readonly entry: ClientLink }) {
  const { t } = useTranslation('clients');
  const [isOpen, qr] = useDisclosure(false);
  return (
    <Group gap="xs" wrap="nowrap">
      <LinkLine entry={entry} />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={qr.open}
        aria-label={t('showQr', { name: entry.name })}
      >
        <IconQrcode size={18} aria-hidden />
      </ActionIcon>
      <LargeQr entry={entry} opened={isOpen} onClose={qr.close} />
    </Group>
  );
}

/** A link in one line, to copy. */
function LinkLine({ entry: { name, link } }: { readonly entry: ClientLink }) {
  const { t } = useTranslation('clients');
  return (
    <div className={classes['link']}>
      <code dir="ltr" title={link}>
        {link}
      </code>
      <CopyButton text={link} label={t('copyLink', { name })} />
    </div>
  );
}
