import { Box, Button, Group, Stack } from '@mantine/core';
import IconTerminal from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormRequest } from '../../model/curl';

const RequestView = lazy(async () => ({ default: (await import('./RequestView')).RequestView }));

interface FooterProps {
  /** The verb of the button that sends the form. */
  readonly submit: string;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly onCancel?: () => void;
  /** What the form would send now; null while it cannot be sent. */
  readonly request: () => FormRequest | null;
}

/** The end of a form: its request as a curl command, Cancel, and the button that sends it. */
export function FormFooter({ submit, isBusy = false, isDisabled = false, onCancel, request }: FooterProps) {
  const { t } = useTranslation('shell');
  const curl = useCurl(request);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        {curl.button}
        <Group gap="sm" ms="auto">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('cancel')}
            </Button>
          )}
          <Button type="submit" loading={isBusy} disabled={isDisabled}>
            {submit}
          </Button>
        </Group>
      </Group>
      {curl.view}
    </Stack>
  );
}

/** The button "curl" and what it opens, for a form with a footer of its own. */
export function useCurl(request: () => FormRequest | null) {
  const { isOpen, button, viewOf } = useCurlButton();
  return { button, view: isOpen && viewOf(request()) };
}

/** The same for a form that prepares its request only when it is shown. */
export function useCurlButton() {
  const { t } = useTranslation('shell');
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const button = (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      leftSection={<IconTerminal size={16} aria-hidden />}
      title={t('curl')}
      aria-label={t('curl')}
      aria-expanded={isOpen}
      aria-controls={isOpen ? id : undefined}
      onClick={() => setOpen(!isOpen)}
    >
      <Box component="span" visibleFrom="xs">
        curl
      </Box>
    </Button>
  );
  const viewOf = (request: FormRequest | null) => (
    <Suspense>
      <RequestView id={id} request={request} />
    </Suspense>
  );
  return { isOpen, button, viewOf };
}
