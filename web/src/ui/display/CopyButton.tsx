import { ActionIcon, Tooltip } from '@mantine/core';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import { useTranslation } from 'react-i18next';
import { toastDone } from '../feedback/toast';

/** Copies a text, also where the panel is served without TLS and browsers hide the clipboard. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { t } = useTranslation('shell');
  return (
    <Tooltip label={t('copy')}>
      <ActionIcon aria-label={label} onClick={() => void copy(text).then(() => toastDone(t('copied')))}>
        <IconCopy size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Copies a text; rejects when the browser refuses. */
export async function copy(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
