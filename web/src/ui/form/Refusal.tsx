import { Alert, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './Refusal.module.css';

/** Why the panel refused a form, at its top. It gets the focus, which brings it into view. */
export function Refusal({ text }: { readonly text: string }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text !== '') alert.current?.focus();
  }, [text]);
  if (text === '') return null;
  return (
    <Alert ref={alert} className={classes['refusal'] ?? ''} color="red" variant="light" role="alert" tabIndex={-1}>
      <Text size="sm">{text}</Text>
    </Alert>
  );
}
