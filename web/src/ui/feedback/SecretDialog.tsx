import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../display/CopyButton';
import { Dialog } from './Dialog';
import classes from './SecretDialog.module.css';

interface Props {
  readonly secret: string;
  readonly texts: { readonly title: string; readonly body: string; readonly copy: string; readonly done: string };
  readonly onClose: () => void;
  /** How the secret is used. */
  readonly children?: ReactNode;
}

/** A new secret, which is not shown again. */
export function SecretDialog({ secret, texts, onClose, children }: Props) {
  return (
    <Dialog onClose={onClose} closeOnClickOutside={false} title={texts.title}>
      <Stack gap="md">
        <Text size="sm">{texts.body}</Text>
        <div className={classes['secret']}>
          <code dir="ltr">{secret}</code>
          <CopyButton text={secret} label={texts.copy} />
        </div>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {texts.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
